internal import Foundation
internal import HowdahModel

/// A model read from a file, and what to call it.
struct ModelFile {
    let model: ManagedObjectModel
    let name: String

    init(contentsOf url: URL) throws {
        let stem = url.deletingPathExtension().lastPathComponent
        name = stem.hasSuffix(".howdahmodel") ? String(stem.dropLast(".howdahmodel".count)) : stem
        model = try Self.readModel(at: url)
    }

    /// The one place that knows the formats of model files.
    private static func readModel(at url: URL) throws -> ManagedObjectModel {
        guard url.pathExtension == "json" else {
            throw GenerateToolError(
                "\(url.path()) is no model in JSON; write one with the text of ManagedObjectModel.canonicalJSON."
            )
        }
        do {
            return try ManagedObjectModel(canonicalJSON: String(contentsOf: url, encoding: .utf8))
        } catch {
            throw GenerateToolError("\(url.path()): \(error)")
        }
    }
}
