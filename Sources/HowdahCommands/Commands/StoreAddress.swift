import ArgumentParser
import Foundation
import PQClient

/// In which database a store is, and where in it.
struct StoreAddress: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A postgres:// URL or a libpq connection string; HOWDAH_DATABASE where none is given.",
            valueName: "url"))
    var database: String?

    @Option(help: "The PostgreSQL schema the store is in.")
    var schema = "public"

    func validate() throws {
        if database?.isEmpty == true { throw ValidationError("--database is not empty.") }
        try ModelPlace.checkSchema(schema)
    }

    /// - Throws: `ValidationError` where neither the option nor the environment names one.
    var url: String {
        get throws {
            if let database { return database }
            guard let url = ProcessInfo.processInfo.environment["HOWDAH_DATABASE"], !url.isEmpty else {
                throw ValidationError("Give --database, or set HOWDAH_DATABASE.")
            }
            return url
        }
    }

    /// A session of its own, by a name that tells what it is for.
    func connect(as name: String) throws -> Connection { try Self.connect(to: url, as: name) }

    static func connect(to url: String, as name: String) throws -> Connection {
        try Connection(configuration(url, name))
    }

    static func configuration(_ url: String, _ name: String) throws -> ConnectionConfiguration {
        var configuration = try ConnectionConfiguration(url)
        configuration.applicationName = configuration.applicationName ?? name
        return configuration
    }
}
