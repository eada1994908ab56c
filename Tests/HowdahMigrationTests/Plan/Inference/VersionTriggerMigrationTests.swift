import HowdahMigration
import HowdahModel
import HowdahTesting
import PQClient
import Testing

/// The trigger that counts versions comes, follows the columns of its entity, and goes with the model.
@Suite struct VersionTriggerMigrationTests {
    private static func model(
        _ properties: [PropertyDescription], counts: Bool = true
    ) throws -> ManagedObjectModel {
        var entity = EntityDescription("Item", properties: properties)
        if counts { entity.userInfo[MappingKey.versionTrigger] = "YES" }
        return try ManagedObjectModel(entities: [entity])
    }

    private static func renamed(_ name: String, from old: String) -> PropertyDescription {
        var attribute = AttributeDescription(name, .string)
        attribute.renamingIdentifier = old
        return .attribute(attribute)
    }

    @Test func theTriggerFollowsTheModel() async throws {
        let plain = try Self.model([.attribute("name", .string)], counts: false)
        let title = Self.renamed("title", from: "name")
        let steps = [
            (try Self.model([.attribute("name", .string)]), "name", true),
            (try Self.model([title]), "title", true),
            (try Self.model([title, .attribute("more", .string)]), "more", true),
            (
                try Self.model([.attribute("title", .string), .attribute("more", .string)], counts: false),
                "more", false
            ),
        ]
        try await withTemporaryDatabase(for: plain) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            _ = try connection.query("INSERT INTO item (name) VALUES ('1')", cached: false)
            for (model, column, counts) in steps {
                _ = try StoreMigration(connection, to: model).apply()
                let before = try Self.version(connection)
                for value in ["2", "3", "3"] {
                    _ = try connection.query("UPDATE item SET \(column) = '\(value)'", cached: false)
                }
                #expect(try Self.version(connection) - before == (counts ? 2 : 0), "\(column)")
                _ = try connection.query("UPDATE item SET \(column) = NULL", cached: false)
            }
        }
    }

    /// The server alters no type of a column, and drops none, that a trigger's condition names.
    @Test(
        arguments: [
            (AttributeType.integer32, AttributeType.integer64), (.float, .double), (.integer32, .string),
        ], [false, true])
    func theTriggerMakesWayForAnotherType(types: (AttributeType, AttributeType), defers: Bool) async throws {
        let (old, new) = (
            try Self.model([.attribute("rank", types.0)]), try Self.model([.attribute("rank", types.1)])
        )
        try await withTemporaryDatabase(for: old) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            _ = try connection.query("INSERT INTO item DEFAULT VALUES", cached: false)
            for (step, model) in [new, old, new].enumerated() {
                var options = MigrationOptions()
                options.shouldDeferLightweightMigration = defers
                options.goesBack = step == 1
                let outcome = try StoreMigration(connection, to: model, options: options).apply()
                guard !outcome.stages.isEmpty else {
                    Issue.record("nothing was done in step \(step)")
                    return
                }
                // The next migration, too, may find what this one has left.
                if step != 0 { try DeferredWork(connection).finish() }
                let before = try Self.version(connection)
                for value in ["2", "3", "3"] {
                    _ = try connection.query("UPDATE item SET rank = '\(value)'", cached: false)
                }
                #expect(try Self.version(connection) - before == 2, "step \(step)")
                // What is empty may change to any type.
                _ = try connection.query("UPDATE item SET rank = NULL", cached: false)
            }
            let differences = try await MigrationTrial.catalogue(database).differences(
                from: MigrationTrial.freshCatalogue(of: new))
            #expect(differences == [])
        }
    }

    /// The doctor tells a trigger that does not fire.
    @Test func theDoctorMissesATriggerThatIsDisabled() async throws {
        let model = try Self.model([.attribute("name", .string)])
        try await withTemporaryDatabase(for: model) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            func finding() throws -> StoreFinding? {
                try StoreDiagnosis(connection).findings().first { $0.check == "triggers" }
            }
            #expect(try finding()?.severity == .ok)
            _ = try connection.query("ALTER TABLE item DISABLE TRIGGER item_version", cached: false)
            let disabled = try finding()
            #expect(disabled?.severity == .warning)
            #expect(disabled?.message.contains("item.item_version") == true, "\(disabled as Any)")
            _ = try connection.query("DROP TRIGGER item_version ON item", cached: false)
            #expect(try finding()?.severity == .warning)
        }
        let without = try Self.model([.attribute("name", .string)], counts: false)
        try await withTemporaryDatabase(for: without) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            #expect(try !StoreDiagnosis(connection).findings().contains { $0.check == "triggers" })
        }
    }

    private static func version(_ connection: Connection) throws -> Int64 {
        try connection.query("SELECT _version FROM item", cached: false).scalar(\.int64) ?? 0
    }
}
