import ArgumentParser
import Foundation
import HowdahMigration
import PQClient

extension MigrateCommand {
    struct Finish: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Does what a deferred migration has left, while the store is in use.",
            discussion: """
                Exit status: 0 nothing is left; 2 there is more to do; 4 rows of the store do not allow some of it, and the \
                rest was done; 5 another program works on the store, or a table could not be locked in time.
                """)

        @Option(help: "A postgres:// URL or a libpq connection string; HOWDAH_DATABASE where none is given.")
        var database: String?

        @Option(help: "The PostgreSQL schema the store is in.")
        var schema = "public"

        @Flag(help: "Does one step only.")
        var one = false

        @Flag(help: "Prints JSON.")
        var json = false

        /// What is printed with --json.
        private struct Report: Encodable {
            let pending: [PendingMigrationStep]
        }

        func validate() throws {
            if schema.isEmpty { throw ValidationError("--schema is not empty.") }
        }

        func run() throws {
            let url = try MigrateCommand.url(database)
            let pending = try MigrateCommand.explained {
                let connection = try MigrateCommand.connection(url)
                defer { connection.close() }
                guard try StoreRecord(in: schema, on: connection) != nil else {
                    throw CommandError("There is no store in schema '\(schema)'.")
                }
                let runner = DeferredMigrationRunner(connection, schemaName: schema)
                if one { _ = try runner.finishNext() } else { try runner.finish() }
                return try PendingWork(connection, in: schema).steps()
            }
            if json {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
                try Output.write(
                    String(decoding: encoder.encode(Report(pending: pending)), as: UTF8.self))
            } else {
                let heading = pending.isEmpty ? "finished" : "\(pending.count) more to do"
                try Output.write(
                    ([heading] + pending.map { "… \($0)".printable }).joined(separator: "\n"))
            }
            if !pending.isEmpty { throw MigrateCommand.needsMigration }
        }
    }
}
