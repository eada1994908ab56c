import ArgumentParser
import Foundation
import HowdahModel
import HowdahModelFile

extension ModelCommand {
    struct Mapping: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints a mapping model, and checks it against the two models it lies between.",
            discussion: """
                With --source and --destination, what Xcode leaves to the models is filled in, and everything that does not fit \
                them is told at once. Exit status 1 where something is wrong.
                """)

        @Argument(help: "An .xcmappingmodel, its xcmapping.xml, or a mapping model in JSON.")
        var path: String

        @Option(
            help: "The model that objects come from: an .xcdatamodeld, an .xcdatamodel, or canonical JSON.")
        var source: String?

        @Option(help: "A version of the source's bundle; the current one where none is given.")
        var sourceVersion: String?

        @Option(help: "The model that objects become part of.")
        var destination: String?

        @Option(help: "A version of the destination's bundle; the current one where none is given.")
        var destinationVersion: String?

        @Flag(help: "Prints JSON, which reads back as the same mapping model.")
        var json = false

        func validate() throws {
            for path in [path, source, destination].compactMap(\.self) where path.isEmpty {
                throw ValidationError("The path of a model is empty.")
            }
            if (source == nil) != (destination == nil) {
                throw ValidationError("--source and --destination go together; give both, or none.")
            }
            if source == nil, sourceVersion != nil || destinationVersion != nil {
                throw ValidationError("A version needs its model; give --source and --destination.")
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
