import ArgumentParser
import Foundation
import HowdahMigration
import HowdahModel
import HowdahModelFile
import HowdahRuntime
import PQClient

/// `howdah migrate`: takes stores from one version of their model to another.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Takes a store to a version of its model.",
        discussion: """
            The store says itself which model it was made with; the steps are inferred from that and the model given. \
            Exit status: 0 done, or nothing to do; 1 failed, the store is as it was; 2 (status and plan) the store needs \
            a migration, or work of one that it relies on is pending; 2 (finish) there is more to do; 3 the steps cannot be inferred; 4 rows of the store do not fit the new model; 5 another program \
            works on the store, or its tables could not be locked in time; 64 wrong arguments.
            """,
        subcommands: [Status.self, Plan.self, Apply.self, Finish.self])

    /// Which store, and to which model.
    struct Target: ParsableArguments {
        @Option(
            name: .customLong("model"),
            help: "An .xcdatamodeld, an .xcdatamodel, or a model in canonical JSON.")
        var path: String

        @Option(
            name: .customLong("version"),
            help: ArgumentHelp(
                "A version of the bundle; the current one where none is given.", valueName: "name"))
        var versionName: String?

        @Option(help: "A postgres:// URL or a libpq connection string; HOWDAH_DATABASE where none is given.")
        var database: String?

        @Option(help: "The PostgreSQL schema the store is in.")
        var schema = "public"

        @Option(
            name: .customLong("confirm-drop"),
            help: ArgumentHelp(
                "An entity or Entity.property of the store's model whose values may go; once for each.",
                valueName: "name"))
        var confirmedDrops: [String] = []

        @Flag(
            name: .customLong("defer"),
            help: "Locks tables for a short time only; howdah migrate finish does what is left then.")
        var shouldDefer = false

        @Flag(help: "Prints JSON.")
        var json = false

        func validate() throws {
            if path.isEmpty { throw ValidationError("--model is not empty.") }
            if schema.isEmpty { throw ValidationError("--schema is not empty.") }
        }

        var url: String { get throws { try MigrateCommand.url(database) } }

        func model() throws -> ManagedObjectModel {
            let contents = try ModelFile(at: URL(filePath: path)).contents(version: versionName)
            contents.tellWarnings()
            return contents.model
        }

        /// Runs `body` on a session of its own.
        func withRunner<T>(_ body: (MigrationRunner, Connection) throws -> T) throws -> T {
            let url = try url
            return try MigrateCommand.explained {
                let target = try model()
                let connection = try MigrateCommand.connection(url)
                defer { connection.close() }
                var options = MigrationOptions()
                options.confirmedDrops = Set(confirmedDrops)
                options.shouldDeferLightweightMigration = shouldDefer
                let runner = MigrationRunner(connection, to: target, schemaName: schema, options: options)
                return try body(runner, connection)
            }
        }
    }

    /// The given URL, else that of the environment.
    static func url(_ given: String?) throws -> String {
        if let given { return given }
        guard let url = ProcessInfo.processInfo.environment["HOWDAH_DATABASE"], !url.isEmpty else {
            throw ValidationError("Give --database, or set HOWDAH_DATABASE.")
        }
        return url
    }

    static func connection(_ url: String) throws -> Connection {
        var configuration = try ConnectionConfiguration(url)
        configuration.applicationName = configuration.applicationName ?? "howdah migrate"
        return try Connection(configuration)
    }

    /// As `CommandError.explained`, with the exit status of the kind of failure.
    static func explained<T>(_ body: () throws -> T) throws -> T {
        do {
            return try CommandError.explained {
                do {
                    return try body()
                } catch let error as MigrationError where error.exitStatus != 1 {
                    try? FileHandle.standardError.write(contentsOf: Data("Error: \(error)\n".utf8))
                    throw ExitCode(error.exitStatus)
                }
            }
        }
    }

    static let needsMigration = ExitCode(2)
}

extension MigrationError {
    /// What the process ends with, for pipelines.
    fileprivate var exitStatus: Int32 {
        switch code {
        case .notInferable: 3
        case .unfitData, .unfinished: 4
        case .busy, .lockTimeout: 5
        default: 1
        }
    }
}
