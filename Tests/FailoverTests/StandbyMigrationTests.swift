import Howdah
import HowdahMigration
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// A migration, and the opening that would make a store, on a server that only replays changes.
@Suite struct StandbyMigrationTests {
    @Test func theErrorNamesThePrimary() async throws {
        try await withTemporaryReplica(Visitor.model()) { store in
            try await PersistentContainer.open(store.primary.url, model: Visitor.model()).close()
            try await store.replica.catchUp(with: store.primary)
            let connection = try Connection(ConnectionConfiguration(store.replica.url))
            defer { connection.close() }
            let target = try ManagedObjectModel(entities: [
                entity("Visitor", [.attribute("name", .string), .attribute("age", .integer16)])
            ])
            let migration = StoreMigration(connection, to: target)
            for attempt in [
                { _ = try migration.apply() }, { _ = try migration.rehearse() },
                { try DeferredWork(connection).finish() },
            ] {
                let error = #expect(throws: MigrationError.self) { try attempt() }
                #expect(
                    error?.message.contains("is a standby") == true
                        && error?.message.contains("Use the address of the primary server.") == true,
                    "\(error as Any)")
            }
            let verified = #expect(throws: MigrationError.self) {
                _ = try StoreVerification(connection).drift()
            }
            #expect(verified?.message.contains("give --scratch the URL") == true, "\(verified as Any)")
            var options = StoreOptions()
            options.schemaName = "other"
            let refused = await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(
                    store.replica.url, model: Visitor.model(), options: options)
            }
            #expect(
                refused?.message.contains("Use the address of the primary server.") == true,
                "\(refused as Any)")
        }
    }

    @Test func theHistoryIsLookedAtOnThePrimary() async throws {
        try await withTemporaryReplica(Visitor.model()) { store in
            var options = StoreOptions()
            options.history = .enabled
            try await PersistentContainer.open(store.primary.url, model: Visitor.model(), options: options)
                .close()
            try await store.replica.catchUp(with: store.primary)
            let connection = try Connection(ConnectionConfiguration(store.replica.url))
            defer { connection.close() }
            let finding = try StoreDiagnosis(connection).findings().first { $0.check == "history" }
            #expect(finding?.severity == .note && finding?.remedy == "Run the doctor on the primary.")
            let history = HistoryAdministration(connection)
            let error = #expect(throws: MigrationError.self) { _ = try history.keep() }
            #expect(
                error?.message.contains("Use the address of the primary server.") == true, "\(error as Any)")
        }
    }
}
