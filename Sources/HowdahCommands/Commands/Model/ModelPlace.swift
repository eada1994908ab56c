import ArgumentParser
import Foundation
import HowdahModelFile

/// Which model, and which version of it.
struct ModelPlace: ParsableArguments {
    @Argument(help: "An .xcdatamodeld, an .xcdatamodel, or a model in canonical JSON.")
    var path: String

    @Option(
        name: .customLong("version"),
        help: ArgumentHelp("A version of the bundle; the current one where none is given.", valueName: "name")
    )
    var versionName: String?

    func validate() throws {
        if path.isEmpty { throw ValidationError("The path of the model is empty.") }
    }

    var file: ModelFile {
        get throws(ModelFileError) { try ModelFile(at: URL(filePath: path)) }
    }

    func contents() throws -> ModelFile.Contents {
        try CommandError.explained { try file.contents(version: versionName) }
    }
}
