import ArgumentParser
import Foundation
import HowdahModelFile

/// Which model, and which version of it, where a command has other things for arguments.
struct ModelChoice: ParsableArguments {
    static let pathHelp: ArgumentHelp = "An .xcdatamodeld, an .xcdatamodel, or a model in canonical JSON."
    static let versionHelp = ArgumentHelp(
        "A version of the bundle. Defaults to the current one.", valueName: "name")

    @Option(name: .customLong("model"), help: Self.pathHelp, completion: .file())
    var path: String

    @Option(name: .customLong("version"), help: Self.versionHelp)
    var versionName: String?

    func validate() throws {
        if path.isEmpty { throw ValidationError("--model is empty. Give the path of a model.") }
    }

    func contents() throws -> ModelFile.Contents { try ModelFile.contents(of: path, version: versionName) }
}
