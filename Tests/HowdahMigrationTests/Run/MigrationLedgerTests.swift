import HowdahMigration
import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// What a store says of the models that it had.
@Suite struct MigrationLedgerTests {
    @Test func aModelIsLeftWhereAnotherCameAfterIt() async throws {
        let old = try ManagedObjectModel(entities: [entity("Person", [.attribute("name", .string)])])
        let new = try ManagedObjectModel(entities: [
            entity("Person", [.attribute("name", .string), .attribute("age", .integer16)])
        ])
        try await withTemporaryDatabase(for: old) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            func hasLeft(_ model: ManagedObjectModel) throws -> Bool {
                try MigrationLedger.hasLeft(model, in: "public", on: connection)
            }
            #expect(try !hasLeft(old) && !hasLeft(new))
            try connection.executeScript(
                "DROP TABLE IF EXISTS _howdah_store, _howdah_save")
            try StoreBaseline(connection, model: old).adopt()
            // The baseline is a row from the model to itself.
            #expect(try !hasLeft(old))
            _ = try StoreMigration(connection, to: new).apply()
            #expect(try hasLeft(old) && !hasLeft(new))
        }
    }
}
