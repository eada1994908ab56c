import ArgumentParser
import Foundation
import HowdahModel
import HowdahModelFile

extension ModelCommand {
    struct Mapping: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints a mapping model, and checks it against its source and destination models.",
            discussion: """
                Xcode omits expressions that follow from the two models. With --source and --destination, the command \
                adds these expressions, and reports everything in the mapping that does not fit the models. The exit \
                status is 1 if something is wrong.
                """)

        @Argument(
            help: "An .xcmappingmodel, its xcmapping.xml, or a mapping model in JSON.", completion: .file())
        var path: String

        @Option(
            help: "The source model: an .xcdatamodeld, an .xcdatamodel, or a model in canonical JSON.",
            completion: .file())
        var source: String?

        @Option(help: "A version of the source's bundle. Defaults to the current one.")
        var sourceVersion: String?

        @Option(help: "The destination model, in one of the same formats.", completion: .file())
        var destination: String?

        @Option(help: "A version of the destination's bundle. Defaults to the current one.")
        var destinationVersion: String?

        @Flag(help: "Prints JSON that you can read back as the same mapping model.")
        var json = false

        func validate() throws {
            for path in [path, source, destination].compactMap(\.self) where path.isEmpty {
                throw ValidationError("The path of a model is empty. Give the path of a file.")
            }
            if (source == nil) != (destination == nil) {
                throw ValidationError("--source and --destination belong together. Give both, or neither.")
            }
            if source == nil, sourceVersion != nil || destinationVersion != nil {
                throw ValidationError(
                    "A version is given without the model that has the version. Add --source and "
                        + "--destination.")
            }
        }

        func run() throws {
            let contents = try CommandError.explained { () throws -> MappingModelFile.Contents in
                do throws(ModelFileError) {
                    return try MappingModelFile(at: URL(filePath: path)).contents()
                } catch {
                    for warning in error.warnings { Output.tell("warning: \(warning)") }
                    throw error
                }
            }
            for warning in contents.warnings { Output.tell("warning: \(warning)") }
            guard let source, let destination else {
                return try write(contents.mappingModel, contents)
            }
            let from = try ModelFile.contents(of: source, version: sourceVersion)
            let to = try ModelFile.contents(of: destination, version: destinationVersion)
            for warning in contents.mappingModel.warnings(from: from.model, to: to.model) {
                Output.tell("warning: \(warning)")
            }
            do {
                let resolved = try contents.mappingModel.resolved(from: from.model, to: to.model)
                try write(resolved, contents)
            } catch let error as MappingModelError {
                if !json { try write(contents.mappingModel, contents) }
                let lines = error.issues.map { "error: \($0.description.printable)" }
                if json {
                    lines.forEach(Output.tell)
                } else {
                    try Output.write(lines.joined(separator: "\n"))
                }
                throw ExitCode.failure
            }
        }

        private func write(_ model: MappingModel, _ contents: MappingModelFile.Contents) throws {
            if json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
                try Output.write(String(decoding: try encoder.encode(model), as: UTF8.self))
            } else {
                let paths = [("from", contents.sourceModelPath), ("to", contents.destinationModelPath)]
                for case (let role, let path?) in paths { try Output.write("\(role)  \(path)".printable) }
                try Output.write(MappingModelText(model).text)
            }
        }
    }
}
