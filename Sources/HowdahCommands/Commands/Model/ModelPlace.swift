import ArgumentParser
import Foundation
import HowdahModelFile

/// Which model, and which version of it.
struct ModelPlace: ParsableArguments {
    @Argument(help: ModelChoice.pathHelp, completion: .file())
    var path: String

    @Option(name: .customLong("version"), help: ModelChoice.versionHelp)
    var versionName: String?

    func validate() throws {
        if path.isEmpty { throw ValidationError("The path of the model is empty. Give the path of a file.") }
    }

    var file: ModelFile {
        get throws(ModelFileError) { try ModelFile(at: URL(filePath: path)) }
    }

    func contents() throws -> ModelFile.Contents { try ModelFile.contents(of: path, version: versionName) }
}
