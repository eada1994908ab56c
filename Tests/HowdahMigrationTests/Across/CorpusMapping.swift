import Foundation
import HowdahModel
import HowdahModelFile
import ModelCorpus
import Testing

/// A shared mapping model, with the two models that it was made for.
struct CorpusMapping: CustomTestStringConvertible, Sendable {
    let project: String
    let file: URL

    var name: String { file.deletingPathExtension().lastPathComponent }

    var testDescription: String { "\(project)/\(name)" }

    static let all = Corpus.mappings.map { CorpusMapping(project: $0.project, file: $0.url) }

    func mappingModel() throws -> MappingModel { try MappingModelFile(at: file).contents().mappingModel }

    /// The models, found by the names that the file gives them in the first bundle that has both.
    func models() throws -> (old: ManagedObjectModel, new: ManagedObjectModel) {
        let contents = try MappingModelFile(at: file).contents()
        let names = try [contents.sourceModelPath, contents.destinationModelPath].map { path in
            let parts = try #require(path).split(separator: "/")
            return (
                bundle: parts[parts.count - 2], version: parts[parts.count - 1].dropLast(".xcdatamodel".count)
            )
        }
        for (project, url) in Corpus.files
        where project == self.project && url.lastPathComponent == names[0].bundle {
            let bundle = try ModelFile(at: url)
            guard names.allSatisfy({ name in bundle.versions.contains { $0 == String(name.version) } }) else {
                continue
            }
            return (
                try bundle.contents(version: String(names[0].version)).model,
                try bundle.contents(version: String(names[1].version)).model
            )
        }
        throw Absence(project: project, names: names.map { String($0.version) })
    }

    struct Absence: Error {
        let project: String
        let names: [String]
    }
}
