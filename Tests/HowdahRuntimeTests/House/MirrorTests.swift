import Foundation
import TestSupport
import Testing

/// Tests are where their subject is: a folder of `HowdahModelTests` has the name of a room of `HowdahModel`.
@Suite struct MirrorTests {
    /// Folders without a room: helpers, tests of several rooms, and tests of the sources themselves.
    private static let others: Set<String> = ["Support", "Across", "House"]

    @Test func foldersOfTestsAreRooms() throws {
        var wrong: [String] = []
        var checked = 0
        for target in try Self.folders(in: "Tests") where target.hasSuffix("Tests") {
            let module = String(target.dropLast("Tests".count))
            guard try Self.folders(in: "Sources").contains(module) else { continue }
            let rooms = try Set(Self.files(in: "Sources/\(module)").map { $0.folder })
            let files = try Self.files(in: "Tests/\(target)")
            // A dozen files need no folders.
            let isSmall = files.count <= 12
            checked += files.count
            for file in files {
                let first = file.folder.split(separator: "/").first.map(String.init) ?? ""
                guard !Self.others.contains(first), !(isSmall && file.folder.isEmpty) else { continue }
                if !rooms.contains(where: { $0 == file.folder || $0.hasPrefix(file.folder + "/") })
                    || first.isEmpty
                {
                    wrong.append("Tests/\(target)/\(file.folder)/\(file.name)")
                }
            }
        }
        #expect(wrong == [], "move these into the folder of a room, or into Support or Across")
        #expect(checked > 500)
    }

    private static func folders(in path: String) throws -> [String] {
        let folder = Repository.root.appending(path: path).path(percentEncoded: false)
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    /// The Swift files in a folder, and the folders that they are in, relative to it.
    private static func files(in path: String) throws -> [(folder: String, name: String)] {
        let folder = Repository.root.appending(path: path).path(percentEncoded: false)
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0.hasSuffix(".swift") }
            .map {
                let parts = $0.split(separator: "/")
                return (parts.dropLast().joined(separator: "/"), String(parts.last ?? ""))
            }
    }
}
