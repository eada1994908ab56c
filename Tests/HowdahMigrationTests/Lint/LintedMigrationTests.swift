import HowdahMigration
import HowdahModel
import TestSupport
import Testing

/// A program asks for the findings of a migration with the drops that it has not confirmed.
@Suite struct LintedMigrationTests {
    @Test("A path between two versions needs a confirmation of each drop, and no store")
    func path() throws {
        let old = try ManagedObjectModel(entities: [
            entity("Person", [.attribute("name", .string), .attribute("age", .integer32)])
        ])
        let new = try ManagedObjectModel(entities: [entity("Person", [.attribute("name", .string)])])
        func rules(_ options: MigrationOptions) throws -> [LintFinding.Rule] {
            try MigrationPath(from: old, to: new).lint(
                from: old, to: new, schemaName: "public", options: options
            ).map(\.rule)
        }
        var options = MigrationOptions()
        #expect(try rules(options).contains(.confirmation))
        options.confirmedDrops = ["Person.age"]
        let confirmed = try rules(options)
        #expect(!confirmed.contains(.confirmation) && confirmed.contains(.drop), "\(confirmed)")
    }

    @Test("A store needs a confirmation of each drop with values")
    func store() async throws {
        try await Register.with { _, connection in
            var migration = try Register.runner(connection)
            #expect(try migration.lint()?.contains { $0.rule == .confirmation } == false)
            migration.options.confirmedDrops = []
            let names = try migration.lint()?.filter { $0.rule == .confirmation }.compactMap(\.name)
            #expect(names == ["Gone", "Person.nick"])
            let absent = StoreMigration(connection, to: try Register.new(), schemaName: "elsewhere")
            #expect(try absent.lint() == nil)
        }
    }
}
