import Howdah
import HowdahMigration
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// What migrations write to the history of a store.
@Suite struct MigrationHistoryTests {
    private static func model(optional: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            entity("Note", [.attribute("stars", .integer32, optional: optional, default: optional ? nil : 5)])
        ])
    }

    /// Control for B11: with one row at the end of the migration, as the first design had it, nobody would hear of the
    /// transactions before it while it is cut off.
    @Test(arguments: [false, true]) func eachTransactionThatChangesRowsIsTold(defers: Bool) async throws {
        var options = StoreOptions()
        options.history = .enabled
        let old = try Self.model(optional: true)
        try await withTemporaryDatabase(for: old) { database in
            let container = try await PersistentContainer.open(database.url, model: old, options: options)
            try await container.perform { context in
                for number in 0..<3_500 { context.insert("Note")["stars"] = number % 2 == 0 ? nil : 1 }
                try context.save()
            }
            await container.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            var settings = MigrationOptions()
            settings.shouldDeferLightweightMigration = defers
            _ = try StoreMigration(connection, to: Self.model(optional: false), options: settings).apply()
            let untold = try connection.query(
                """
                SELECT count(*) FROM note WHERE xmin::text::bigint NOT IN
                    (SELECT mod(txid::text::numeric, 4294967296)::bigint FROM _howdah_history)
                """, cached: false)
            #expect(untold.scalar(\.int64) == 0)
            let untoldByTheLast = try connection.query(
                """
                SELECT count(*) FROM note WHERE stars = 5 AND xmin::text::bigint NOT IN
                    (SELECT mod(txid::text::numeric, 4294967296)::bigint FROM _howdah_history
                    ORDER BY number DESC LIMIT 1)
                """, cached: false)
            #expect((untoldByTheLast.scalar(\.int64) ?? 0 > 0) == defers, "control")
            let told = try connection.query(
                "SELECT count(*), count(DISTINCT txid) FROM _howdah_history WHERE origin = 3 AND entity = '' AND ids = '{}'",
                cached: false)
            #expect(told.row(0)[0].int64 == told.row(0)[1].int64 && told.row(0)[0].int64 >= (defers ? 3 : 1))
        }
    }
}
