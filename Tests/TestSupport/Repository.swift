public import Foundation

/// The folder of the repository, for tests that read sources and pages.
public enum Repository {
    /// The folder.
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
