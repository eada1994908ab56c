import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// What handlers must not do to the stage's transaction is found out, and nothing of the stage is recorded.
@Suite struct HandlerMisuseTests {
    private static func model(_ properties: PropertyDescription...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [entity("Person", [.attribute("name", .string)] + properties)])
    }

    /// Runs one stage with a handler on the session itself.
    private static func migrate(
        _ handlers: StageHandlers, _ body: (MigrationError?, Connection, _ isAsBefore: Bool) throws -> Void
    ) async throws {
        let (old, new) = (try model(), try model(.attribute("age", .integer16)))
        try await withTemporaryDatabase(for: old) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            let before = try StoreCatalogue(named: "public", on: connection)
            let versions = [("V1", old), ("V2", new)].map {
                MigrationPath.Version(name: $0, checksum: $1.versionChecksum, model: $1)
            }
            let path = try MigrationPath([.init(.custom, versions, label: nil, handlers: handlers)])
            var failure: MigrationError?
            do {
                try StoreMigration(connection, path, to: new).apply()
            } catch let error as MigrationError {
                failure = error
            }
            let after = try StoreCatalogue(named: "public", on: connection)
            try body(failure, connection, after.differences(from: before).isEmpty)
        }
    }

    @Test(arguments: ["COMMIT", "ROLLBACK", "COMMIT; BEGIN", "ROLLBACK; BEGIN"])
    func endingTheTransactionIsAnError(_ sql: String) async throws {
        for isAfter in [false, true] {
            let handler: StageHandlers.Handler = { connection, _ in try connection.executeScript(sql) }
            try await Self.migrate(
                StageHandlers(willMigrate: isAfter ? nil : handler, didMigrate: isAfter ? handler : nil)
            ) { error, connection, isAsBefore in
                #expect(error?.code == .handlerFailed)
                #expect(
                    error?.message.contains("it ended the stage's transaction") == true,
                    "\(String(describing: error))")
                // What a COMMIT made permanent is beyond undoing; the record and the ledger are not written.
                #expect(isAsBefore || (isAfter && sql.hasPrefix("COMMIT")))
                #expect(connection.transactionStatus == .idle)
                let checksum = try connection.query("SELECT checksum FROM _howdah_store", cached: false).map {
                    $0[0].string()
                }
                #expect(checksum == [try Self.model().versionChecksum])
            }
        }
    }

    @Test func goingOnAfterAFailureIsAnError() async throws {
        let handler: StageHandlers.Handler = { connection, _ in
            _ = try? connection.query("SELECT nothing FROM nowhere", cached: false)
        }
        try await Self.migrate(StageHandlers(didMigrate: handler)) { error, _, isAsBefore in
            #expect(error?.code == .handlerFailed && isAsBefore)
            #expect(error?.message.contains("it continued after one of its statements failed") == true)
        }
    }

    /// A lock that a handler could not have is waited for like those of the tables.
    @Test func aHandlerThatMeetsALockRunsAgain() async throws {
        let tries = Tries()
        let handler: StageHandlers.Handler = { connection, _ in
            guard tries.next() == 1 else { return }
            _ = try connection.query("DO $$ BEGIN RAISE SQLSTATE '55P03'; END $$", cached: false)
        }
        try await Self.migrate(StageHandlers(willMigrate: handler)) { error, _, _ in
            #expect(error == nil, "\(String(describing: error))")
            #expect(tries.count == 2)
        }
    }
}
