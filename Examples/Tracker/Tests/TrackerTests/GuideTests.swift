import Foundation
import Testing

/// The server guide shows parts of this package as they are.
@Suite struct GuideTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardizedFileURL
    private static let guide = package.appending(path: "../../docs/server-guide.md")

    @Test("Each block of the server guide is part of a file", .enabled(if: isHere, "A copy has no guide."))
    func blocks() throws {
        let text = try String(contentsOf: Self.guide, encoding: .utf8)
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
        #expect(blocks.count > 15)
        let files = try Self.files()
        for block in blocks where !files.contains(where: { $0.contains(block) }) {
            Issue.record("No file has:\n\(block)")
        }
    }

    private static var isHere: Bool { FileManager.default.fileExists(atPath: guide.path) }

    private static func files() throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: package.path)
        return try names.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".build") }.map {
            try String(contentsOf: package.appending(path: $0), encoding: .utf8)
        }
    }
}
