import Foundation
import HowdahGeneration

/// Files that were generated from a model, and that it does not come to any more: of entities that are gone.
///
/// Only regular files of Swift that begin with what is written into files of a model of that name; everything else in
/// the folder is the user's, or another model's.
struct StaleFiles {
    private let folder: URL
    private let names: [String]

    init(of model: String, in folder: URL, besides current: some Sequence<String>) throws {
        self.folder = folder
        // A file system may take both spellings for one file.
        let kept = Set(current.map { $0.lowercased() })
        names = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false)).filter
        { name in
            guard name.hasSuffix(".swift"), !kept.contains(name.lowercased()) else { return false }
            let path = folder.appending(path: name).path(percentEncoded: false)
            let type = try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
            guard type == .typeRegular, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                return false
            }
            return GeneratedCode.isGenerated(text, fromModelNamed: model)
        }.sorted()
    }

    /// Removes the files.
    ///
    /// - Returns: their names.
    func remove() throws -> [String] {
        for name in names {
            let file = folder.appending(path: name)
            try CommandError.writing(file.path(percentEncoded: false)) {
                try FileManager.default.removeItem(at: file)
            }
        }
        return names
    }
}
