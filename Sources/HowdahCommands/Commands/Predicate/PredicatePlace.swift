import ArgumentParser
import HowdahModelFile

/// The model that formats are checked against, and which of its entities.
struct PredicatePlace: ParsableArguments {
    @Option(name: .customLong("model"), help: ModelChoice.pathHelp, completion: .file())
    var path: String

    @Option(name: .customLong("version"), help: ModelChoice.versionHelp)
    var versionName: String?

    @Option(help: "The entity to fetch. Without this option, each format must fit an entity of the model.")
    var entity: String?

    @Option(help: "The PostgreSQL schema of the store.")
    var schema = "public"

    func validate() throws {
        if path.isEmpty { throw ValidationError("--model is empty. Give the path of a model.") }
        try StoreAddress.checkSchema(schema)
    }

    func inspection() throws -> PredicateInspection {
        let contents = try ModelFile.contents(of: path, version: versionName)
        return try CommandError.explained {
            try PredicateInspection(contents.model, schema: schema, entity: entity)
        }
    }
}
