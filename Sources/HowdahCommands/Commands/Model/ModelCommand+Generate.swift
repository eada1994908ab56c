import ArgumentParser
import Foundation
import HowdahGeneration
import HowdahModelFile

extension ModelCommand {
    struct Generate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Writes Swift classes for a model: a file for each entity, and one for the model.",
            discussion: """
                Files of the same names are overwritten: put your own code into extensions in other files. The plug-in \
                HowdahModelPlugin does this in each build for a target that has the model among its files.
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

        @Option(name: [.short, .long], help: "The folder to write to; made where it is missing.")
        var output: String

        @Option(help: "Who may use the classes: internal, package or public.")
        var access = Access.internal

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
            print("\(code.files.count) files in \(output)")
            contents.tellWarnings()
            for warning in code.warnings {
                FileHandle.standardError.write(Data("warning: \(warning)\n".utf8))
            }
        }
    }
}
