import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// A program that links the library decides about a migration without the commands.
@Suite struct MigrationStatusTests {
    private static func model(_ properties: String...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [entity("Person", properties.map { .attribute($0, .string) })])
    }

    private static func withStore(
        of model: ManagedObjectModel, _ body: (Connection) throws -> Void
    ) async throws {
        try await withTemporaryDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            let names = model["Person"]?.properties.map(\.name) ?? []
            try await container.perform { context in
                let person = context.insert("Person")
                for name in names { person[name] = "Ada" }
                try context.save()
            }
            await container.close()
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            try body(connection)
        }
    }

    @Test("The status of a store says what a migration has to do")
    func statusOfAStore() async throws {
        let (old, new) = (try Self.model("name"), try Self.model("name", "born"))
        try await Self.withStore(of: old) { connection in
            let absent = try StoreMigration(connection, to: old, schemaName: "elsewhere").status()
            #expect(absent.state == .absent && absent.checksum == nil && !absent.isUpToDate)
            #expect(absent.refusal == nil && absent.plan.stages.first?.plan.steps.isEmpty == false)
            #expect(try StoreMigration(connection, to: old).status().isUpToDate)

            let migration = StoreMigration(connection, to: new)
            let status = try migration.status()
            #expect(status.state == .migratable && status.checksum == old.versionChecksum)
            #expect(status.refusal == nil && status.pending.isEmpty && !status.isUpToDate)
            #expect(try migration.apply() == status.plan)
            #expect(try migration.status().isUpToDate)
        }
    }

    @Test("A store whose record cannot be read is not migrated, and the error names the record")
    func unreadableRecord() async throws {
        try await Self.withStore(of: try Self.model("name")) { connection in
            try connection.executeScript("UPDATE _howdah_store SET model = '{'")
            let migration = StoreMigration(connection, to: try Self.model("name", "born"))
            for body in [
                { _ = try migration.status() }, { _ = try migration.confirmations() },
                { _ = try migration.apply() }, { _ = try StoreVerification(connection).drift() },
            ] {
                let error = #expect(throws: MigrationError.self) { try body() }
                #expect(error?.code == .notAStore && error?.message.contains("_howdah_store") == true)
            }
        }
    }

    @Test("A role without rights on the store gets the grant that it lacks")
    func missingGrant() async throws {
        try await Self.withStore(of: try Self.model("name")) { connection in
            let role = "howdah_nobody_\(UInt32.random(in: 0...UInt32.max))"
            try connection.executeScript("CREATE ROLE \(role); SET ROLE \(role)")
            defer { try? connection.executeScript("RESET ROLE; DROP ROLE \(role)") }
            let migration = StoreMigration(connection, to: try Self.model("name", "born"))
            for body in [
                { _ = try migration.status() }, { _ = try migration.confirmations() },
                { _ = try migration.apply() }, { _ = try StoreVerification(connection).drift() },
            ] {
                let error = #expect(throws: MigrationError.self) { try body() }
                #expect(error?.code == .missingGrant && error?.message.contains("GRANT") == true)
            }
        }
    }

    @Test("A table of another program is the refusal of a store that does not exist")
    func statusOfATakenSchema() async throws {
        try await Self.withStore(of: try Self.model("name")) { connection in
            try connection.executeScript("CREATE SCHEMA taken; CREATE TABLE taken.person ()")
            let status = try StoreMigration(
                connection, to: try Self.model("name"), schemaName: "taken"
            ).status()
            #expect(status.state == .absent && status.refusal?.code == .notAStore)
            #expect(status.plan.stages.isEmpty)
        }
    }

    @Test("Drops are confirmed by their names, or by the token of their list")
    func confirmedDrops() async throws {
        let (old, new) = (try Self.model("name", "born", "died"), try Self.model("name"))
        try await Self.withStore(of: old) { connection in
            var migration = StoreMigration(connection, to: new)
            migration.options.goesBack = true
            let status = try migration.status()
            #expect(status.state == .refused && status.plan.stages.count == 1)
            let open = try migration.unconfirmedDrops().map(\.confirmation).sorted()
            #expect(open == ["Person.born", "Person.died"])
            #expect(Set(status.refusal?.refusals.map(\.confirmation) ?? []) == Set(open))

            migration.options.confirmedDrops = ["Person.born", "Person.name", "Person.dyed"]
            let names = try #require(try migration.confirmations())
            #expect(names.unknown.map(\.name) == ["Person.dyed"])
            #expect(names.unknown.first?.nearest == "Person.died")
            #expect(names.unneeded == ["Person.name"] && names.versionCount == 2)

            migration.options.confirmedDrops = ["Person.born"]
            let token = DropConfirmations.token(of: ["Person.died"])
            #expect(
                try migration.confirmDrops(token: DropConfirmations.token(of: open))
                    == .otherDrops(["Person.died"]))
            #expect(try migration.status().state == .refused)
            #expect(try migration.confirmDrops(token: token) == .confirmed(["Person.died"]))
            #expect(try migration.confirmDrops(token: token) == .nothingOpen)
            #expect(try migration.status().state == .migratable)
            try migration.apply()
            #expect(try migration.confirmDrops(token: token) == .noMigration)
            // Who repeats a migration repeats the names of what is gone.
            let repeated = try #require(try migration.confirmations())
            #expect(repeated.unknown.isEmpty && repeated.unneeded == ["Person.born", "Person.died"])
        }
    }
}
