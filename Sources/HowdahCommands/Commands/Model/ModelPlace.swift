import ArgumentParser
import Foundation
import HowdahModel
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

    func contents() throws -> ModelFile.Contents { try Self.contents(of: path, version: versionName) }

    /// Reads a model; where it cannot be read, what was noticed until then is told too.
    static func contents(of path: String, version: String?) throws -> ModelFile.Contents {
        try CommandError.explained {
            do throws(ModelFileError) {
                return try ModelFile(at: URL(filePath: path)).contents(version: version)
            } catch {
                for warning in error.warnings { Output.tell("warning: \(warning)") }
                throw error
            }
        }
    }

    /// A name that no schema can have is a wrong argument, whatever the model says.
    static func checkSchema(_ name: String) throws {
        if let mistake = StoreSchema.mistake(inSchemaName: name) {
            throw ValidationError("--schema: \(mistake)".printable)
        }
    }
}
