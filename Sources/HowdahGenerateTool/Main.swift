internal import Foundation
internal import HowdahGeneration
internal import HowdahModelFile

/// What the build tool plugin runs for each model: `HowdahGenerateTool MODEL OUTPUT [CONFIGURATION]`.
///
/// The file that is written exists beforehand or not; its date changes only where its text does, so that nothing is
/// compiled again for a model that was merely touched.
@main struct GenerateTool {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.count == 2 || arguments.count == 3 else {
            throw GenerateToolError(
                "The number of arguments is wrong. Give the model's file, the file to write and optionally a configuration."
            )
        }
        let (source, output) = (URL(filePath: arguments[0]), URL(filePath: arguments[1]))
        let configuration =
            arguments.count == 3
            ? try Configuration(contentsOf: URL(filePath: arguments[2])) : Configuration(access: .internal)
        let file = try ModelFile(at: source)
        let contents = try file.contents()
        let code = GeneratedCode(of: contents.model, named: file.name, access: configuration.access)
        for warning in contents.warnings {
            FileHandle.standardError.write(Data("\(source.path()): warning: \(warning)\n".utf8))
        }
        for warning in code.warnings {
            FileHandle.standardError.write(Data("\(source.path()): warning: \(warning)\n".utf8))
        }
        let text = Data(code.singleFile.utf8)
        guard (try? Data(contentsOf: output)) != text else { return }
        try text.write(to: output, options: .atomic)
    }
}
