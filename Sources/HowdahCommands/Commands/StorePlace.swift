import ArgumentParser
import Foundation
import HowdahModelFile
import HowdahRuntime

/// Which store, and of which model.
struct StorePlace: ParsableArguments {
    @Option(
        name: .customLong("model"), help: "An .xcdatamodeld, an .xcdatamodel, or a model in canonical JSON.")
    var path: String

    @Option(
        name: .customLong("version"),
        help: ArgumentHelp("A version of the bundle; the current one where none is given.", valueName: "name")
    )
    var versionName: String?

    @Option(help: "A postgres:// URL or a libpq connection string.")
    var database: String

    @Option(help: "The PostgreSQL schema the store is in.")
    var schema = "public"

    func validate() throws {
        if path.isEmpty { throw ValidationError("--model is not empty.") }
        if schema.isEmpty { throw ValidationError("--schema is not empty.") }
    }

    /// Runs `body` with the open store, and closes it.
    nonisolated(nonsending)
        func withContainer<T>(_ body: (PersistentContainer) async throws -> T) async throws -> T
    {
        let contents = try ModelFile(at: URL(filePath: path)).contents(version: versionName)
        contents.tellWarnings()
        var options = StoreOptions()
        options.schemaName = schema
        options.maximumConnections = 1
        let container = try await PersistentContainer.open(database, model: contents.model, options: options)
        do {
            let result = try await body(container)
            await container.close()
            return result
        } catch {
            await container.close()
            throw error
        }
    }
}
