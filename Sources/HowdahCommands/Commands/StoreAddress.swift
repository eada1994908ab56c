import ArgumentParser
import Foundation
import HowdahModel
import PQClient

/// In which database a store is, and where in it.
struct StoreAddress: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A postgres:// URL or a libpq connection string. Defaults to HOWDAH_DATABASE.",
            valueName: "url"))
    var database: String?

    @Option(help: "The PostgreSQL schema of the store.")
    var schema = "public"

    func validate() throws {
        if let database { try Self.checkDatabase(database) }
        try Self.checkSchema(schema)
    }

    /// What a variable that is not set leaves behind is a wrong argument, and not libpq's default.
    static func checkDatabase(_ url: String) throws {
        guard url.isEmpty else { return }
        throw ValidationError(
            "--database is empty. Give a URL such as postgres://user@host/name, or omit the option and set HOWDAH_DATABASE."
        )
    }

    /// A name that no schema can have is a wrong argument, whatever the model says.
    static func checkSchema(_ name: String) throws {
        if let mistake = StoreSchema.mistake(inSchemaName: name) {
            throw ValidationError("--schema: \(mistake)".printable)
        }
    }

    /// - Throws: `ValidationError` where neither the option nor the environment names one.
    var url: String {
        get throws {
            if let database { return database }
            guard let url = ProcessInfo.processInfo.environment["HOWDAH_DATABASE"], !url.isEmpty else {
                throw ValidationError(
                    "No database is given. Set --database to a URL such as postgres://user@host/name, or set HOWDAH_DATABASE."
                )
            }
            return url
        }
    }

    /// A session of its own, by a name that tells what it is for.
    func connect(as name: String) throws -> Connection { try Self.connect(to: url, as: name) }

    static func connect(to url: String, as name: String) throws -> Connection {
        try Connection(configuration(url, name))
    }

    /// The pooler before the server, as HOWDAH_POOLER names it.
    static var pooler: PoolerMode {
        get throws {
            switch ProcessInfo.processInfo.environment["HOWDAH_POOLER"] ?? "" {
            case "", "detected": return .detected
            case "session": return .session
            case "transaction": return .transaction
            case let other:
                throw ValidationError(
                    "HOWDAH_POOLER is \"\(other)\". Set HOWDAH_POOLER to detected, session or transaction, or unset the variable."
                )
            }
        }
    }

    static func configuration(_ url: String, _ name: String) throws -> ConnectionConfiguration {
        var configuration = try ConnectionConfiguration(url)
        configuration.applicationName = configuration.applicationName ?? name
        configuration.pooler = try pooler
        return configuration
    }
}
