import ArgumentParser
import Foundation
import HowdahModel
import HowdahRuntime
import PQClient

/// In which database a store is, and where in it.
struct StoreAddress: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A postgres:// URL or a libpq connection string. Defaults to HOWDAH_DATABASE, then DATABASE_URL, then PGHOST, PGSERVICE or PGDATABASE.",
            valueName: "url"))
    var database: String?

    @Option(help: "The PostgreSQL schema of the store.")
    var schema = "public"

    func validate() throws {
        try Self.checkDatabase(database)
        try Self.checkSchema(schema)
    }

    /// Checks that an address is not empty, as a variable that is not set: libpq would use its default.
    ///
    /// - Parameter isOptional: Indicates whether the command works without the option.
    static func checkDatabase(
        _ url: String?, _ option: String = "--database", isOptional: Bool = true
    ) throws {
        guard let url, url.allSatisfy(\.isWhitespace) else { return }
        let remedy =
            option == "--database"
            ? ", or omit the option and set HOWDAH_DATABASE" : isOptional ? ", or omit the option" : ""
        throw ValidationError(
            "\(option) is empty. Give a URL such as postgres://user@host/name\(remedy).")
    }

    /// A name that no schema can have is a wrong argument, whatever the model says.
    static func checkSchema(_ name: String) throws {
        if let mistake = StoreSchema.mistake(inSchemaName: name) {
            throw ValidationError("--schema: \(mistake)".printable)
        }
    }

    /// The address, and the option or the variables that have it.
    ///
    /// - Throws: `ValidationError` if neither the option nor the environment names a database.
    var found: DatabaseAddress {
        get throws {
            if let database { return DatabaseAddress(database, from: "--database") }
            guard let found = DatabaseAddress(environment: ProcessInfo.processInfo.environment) else {
                throw ValidationError(
                    "No database is given. Set --database, \(DatabaseAddress.variables) to a URL such as "
                        + "postgres://user@host/name.")
            }
            return found
        }
    }

    /// - Throws: The errors of ``found``.
    var url: String { get throws { try found.url } }

    /// The database, host and role, and the source of the address, as part of a sentence.
    ///
    /// - Throws: `PostgresError` if the address cannot be read.
    func place() throws -> String {
        let found = try found
        return "\(try ConnectionConfiguration(found.url).place), from \(found.source)"
    }

    /// Prints the place to standard error that a command is about to write to.
    ///
    /// An address that cannot be read is reported by the command itself.
    func announce(_ deed: String = "Writing to") {
        if let place = try? place() { Output.tell("\(deed) \(place).") }
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
