import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// A rehearsal on a copy must not lock the store itself by mistake.
@Suite struct CopyComparisonTests {
    private static func model(_ properties: String...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [entity("Person", properties.map { .attribute($0, .string) })])
    }

    private static func connect(_ url: String) throws -> Connection {
        try Connection(ConnectionConfiguration(url))
    }

    @Test("Two roles with different settings find that they use the same database")
    func sameDatabase() async throws {
        let model = try Self.model("name")
        try await withTemporaryDatabase(for: model) { database in
            try await PersistentContainer.open(database.url, model: model).close()
            let (store, copy) = (try Self.connect(database.url), try Self.connect(database.url))
            defer {
                store.close()
                copy.close()
            }
            try copy.executeScript("SET TimeZone = 'Asia/Tokyo'; SET DateStyle = 'German'")
            #expect(
                try CopyComparison(of: store, with: copy, schemaName: "public") == .sameDatabase)
        }
    }

    @Test("A copy has the model of the store")
    func models() async throws {
        let (old, new) = (try Self.model("name"), try Self.model("name", "born"))
        try await withTemporaryDatabase(for: old) { original in
            try await PersistentContainer.open(original.url, model: old).close()
            let store = try Self.connect(original.url)
            defer { store.close() }
            try await withTemporaryDatabase(for: old) { database in
                try await PersistentContainer.open(database.url, model: old).close()
                let copy = try Self.connect(database.url)
                defer { copy.close() }
                func comparison() throws -> CopyComparison {
                    try CopyComparison(of: store, with: copy, schemaName: "public")
                }
                #expect(try comparison() == .equalModels)
                try StoreMigration(copy, to: new).apply()
                #expect(
                    try comparison()
                        == .otherModel(store: old.versionChecksum, copy: new.versionChecksum))
                try copy.executeScript("DROP TABLE _howdah_store")
                #expect(try comparison() == .otherModel(store: old.versionChecksum, copy: nil))
            }
        }
    }
}
