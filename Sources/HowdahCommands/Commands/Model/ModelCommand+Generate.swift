import ArgumentParser
import Foundation
import HowdahGeneration
import HowdahModelFile

extension ModelCommand {
    struct Generate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Generates Swift classes for a model: a file for each entity, and one for the model.",
            discussion: """
                Files with the same names are overwritten. Put your own code into extensions in other files. Files \
                that were generated earlier from a model of this name, and that the model no longer needs, are \
                removed. The plug-in HowdahModelPlugin does this in each build for a target that has the model among \
                its files.
                """)

        enum Access: String, ExpressibleByArgument, CaseIterable {
            case `internal`, package, `public`

            var level: AccessLevel {
                switch self {
                case .internal: .internal
                case .package: .package
                case .public: .public
                }
            }
        }

        @OptionGroup var place: ModelPlace

        @Option(
            name: [.short, .long], help: "The folder to write to. It is created if it is missing.",
            completion: .file())
        var output: String

        @Option(help: "The access level of the classes.")
        var access = Access.internal

        func validate() throws {
            if output.isEmpty { throw ValidationError("--output is empty. Give the path of a folder.") }
        }

        func run() throws {
            let file = try CommandError.explained { try place.file }
            let contents = try place.contents()
            let code = GeneratedCode(of: contents.model, named: file.name, access: access.level)
            let folder = URL(filePath: output, directoryHint: .isDirectory)
            try CommandError.writing(output) {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                for (name, text) in code.files.sorted(by: { $0.key < $1.key }) {
                    try Data(text.utf8).write(to: folder.appending(path: name), options: .atomic)
                }
            }
            try Output.write(code.files.count.counted("file", "files") + " in \(output)".printable)
            for name in try StaleFiles(of: file.name, in: folder, besides: code.files.keys).remove() {
                try Output.write("removed \(name), which the model no longer needs".printable)
            }
            contents.tellWarnings()
            for warning in code.warnings {
                Output.tell("warning: \(warning)")
            }
        }
    }
}
