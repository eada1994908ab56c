import Foundation
import TestSupport
import Testing

/// The expansions are checked in, so that each change of them is seen in review.
///
/// A file holds the source, the line `// becomes`, and the expansion. `HOWDAH_RECORD=1 swift test --filter SnapshotTests`
/// writes the expansions anew.
@Suite(.enabled(if: SwiftToolchain.installed != nil, "there is no swiftc on the search path"))
struct SnapshotTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "Snapshots")
    private static let divider = "\n// becomes\n"

    static let files: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? [])
        .filter { $0.hasSuffix(".swift.txt") }.sorted()

    @Test(arguments: files)
    func theExpansionIsTheOneCheckedIn(_ file: String) async throws {
        let url = Self.folder.appending(path: file)
        let parts = try String(contentsOf: url, encoding: .utf8).components(separatedBy: Self.divider)
        let expansion = try await Expansion(parts[0])
        #expect(expansion.diagnostics.isEmpty, "\(expansion.diagnostics.map(\.message))")
        if ProcessInfo.processInfo.environment["HOWDAH_RECORD"] == "1" {
            try (parts[0] + Self.divider + expansion.text + "\n").write(
                to: url, atomically: true, encoding: .utf8)
        } else {
            #expect(parts.count == 2, "record it first")
            #expect(expansion.text + "\n" == parts.last)
        }
    }

    @Test func thereAreSnapshots() { #expect(Self.files.count >= 5) }
}
