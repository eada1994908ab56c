import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// A program compares the tables of a store with the model that the store records.
@Suite struct StoreVerificationTests {
    @Test("Only differences from the recorded model are differences")
    func drift() async throws {
        try await Register.with { _, connection in
            func drift() throws -> StoreDrift { try StoreVerification(connection).drift() }
            #expect(try drift().differences == [] && drift().additions == [])
            try connection.executeScript("CREATE TABLE beside (); ALTER TABLE person DROP COLUMN height")
            let found = try drift()
            #expect(found.additions == ["table beside"])
            #expect(found.differences.count == 1 && found.differences[0].hasPrefix("column person.height"))
            try connection.executeScript(
                "ALTER TABLE beside ADD id integer PRIMARY KEY; CREATE UNIQUE INDEX twin ON club (name)")
            let keyed = try drift()
            #expect(keyed.additions.contains("index beside_pkey"))
            #expect(keyed.differences.count == 2, "\(keyed.differences)")
            #expect(keyed.differences.contains { $0.hasPrefix("index twin is not in the model") })
        }
    }

    @Test("Settings of the role of the scratch database make no differences")
    func settings() async throws {
        let time = PropertyDescription.attribute(
            "made", .date, optional: false, default: .date(Date(timeIntervalSince1970: 500_000_000)))
        let model = try ManagedObjectModel(entities: [
            entity("Person", [.attribute("Größe", .integer32, minimum: 1), time])
        ])
        try await withTemporaryDatabase(for: model) { database in
            try await PersistentContainer.open(database.url, model: model).close()
            let (connection, scratch) = (
                try Connection(ConnectionConfiguration(database.url)),
                try Connection(ConnectionConfiguration(database.url))
            )
            defer {
                connection.close()
                scratch.close()
            }
            try scratch.executeScript(
                "SET TimeZone = 'Asia/Tokyo'; SET DateStyle = 'German'; SET quote_all_identifiers = on")
            let drift = try StoreVerification(connection).drift(scratch: scratch)
            #expect(drift.differences == [])
        }
    }

    /// A model with what a catalog has the schema's name in: a delete rule kept by a trigger, a folded index, a composite
    /// and a count.
    private static func guarded() throws -> ManagedObjectModel {
        let span = CompositeDescription(
            "Span",
            [
                AttributeDescription("unit", .string, optional: false, default: "h"),
                AttributeDescription("amount", .integer32),
            ])
        let key = [MappingKey.deleteTrigger: "YES"]
        return try ManagedObjectModel(entities: [
            entity(
                "Person",
                [
                    .attribute("name", .string), .attribute("span", .composite(span)),
                    .relationship(
                        "club", to: "Club", inverse: "members", deleteRule: .deny, userInfo: key),
                ],
                indexes: [
                    FetchIndexDescription(
                        "byName", elements: [.folded("name", options: [.caseInsensitive])])
                ]),
            entity(
                "Club",
                [
                    .attribute("size", .integer64, optional: false, derivation: "members.@count"),
                    .relationship("members", to: "Person", inverse: "club", toMany: true),
                ]),
        ])
    }

    @Test(
        "Tables in a schema with any name match the model",
        arguments: ["select", "a'b", "a\"b", "a'; --", "Ünï", "$$", "a\\b", "E'\\'", "Mixed Case"])
    func schemaNames(_ name: String) async throws {
        for model in [try Register.new(), try Self.guarded()] {
            try await withTemporaryDatabase(for: model) { database in
                var options = StoreOptions()
                options.schemaName = name
                try await PersistentContainer.open(database.url, model: model, options: options).close()
                let connection = try Connection(ConnectionConfiguration(database.url))
                defer { connection.close() }
                let drift = try StoreVerification(connection, schemaName: name).drift()
                #expect(drift.differences == [] && drift.additions == [])
                try connection.executeScript(
                    "DROP TABLE \(SQLIdentifier.quoted(name, "_howdah_store"))")
                let baseline = try StoreBaseline(connection, model: model, schemaName: name).drift()
                #expect(baseline.differences == [] && baseline.additions == [])
            }
        }
    }

    @Test("Behind a transaction pooler, no setting is left for the session's next program")
    func pooledSettings() async throws {
        try await Register.with { database, _ in
            for pooler in [PoolerMode.session, .transaction] {
                var configuration = try ConnectionConfiguration(database.url)
                configuration.pooler = pooler
                let connection = try Connection(configuration)
                defer { connection.close() }
                func limit() throws -> String? {
                    try connection.query("SHOW lock_timeout", cached: false).map { $0[0].string() }.first
                }
                let limited = try RunningMigration(in: "public", on: connection)
                    .whenOver(within: .seconds(3)) { try limit() }
                _ = try StoreDiagnosis(connection).findings()
                #expect(try [limited, limit()] == (pooler == .session ? ["3s", "1s"] : ["0", "0"]))
            }
        }
    }

    @Test("A schema without a store, and a store with deferred steps, cannot be compared")
    func refusals() async throws {
        try await Register.with { _, connection in
            func code(_ schemaName: String) -> MigrationError.Code? {
                let error = #expect(throws: MigrationError.self) {
                    _ = try StoreVerification(connection, schemaName: schemaName).drift()
                }
                return error?.code
            }
            #expect(code("elsewhere") == .notAStore)
            try Register.runner(connection).apply()
            #expect(code("public") == .unfinished)
            try DeferredWork(connection).finish()
            #expect(try StoreVerification(connection).drift().differences == [])
        }
    }
}
