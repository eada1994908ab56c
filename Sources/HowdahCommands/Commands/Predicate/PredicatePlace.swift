import ArgumentParser
import HowdahModelFile

/// The model that formats are checked against, and which of its entities.
struct PredicatePlace: ParsableArguments {
    @Option(name: .customLong("model"), help: ModelChoice.pathHelp)
    var path: String

    @Option(name: .customLong("version"), help: ModelChoice.versionHelp)
    var versionName: String?

    @Option(help: "The entity that is fetched; where none is given, formats have to fit one of the model.")
    var entity: String?

    @Option(help: "The PostgreSQL schema the store is in.")
    var schema = "public"

    func validate() throws {
        if path.isEmpty { throw ValidationError("--model is not empty.") }
        try StoreAddress.checkSchema(schema)
    }

    func inspection() throws -> PredicateInspection {
        let contents = try ModelFile.contents(of: path, version: versionName)
        return try CommandError.explained {
            try PredicateInspection(contents.model, schema: schema, entity: entity)
        }
    }
}
