import HowdahMigration
import HowdahModel
import Testing

/// Which steps of a plan are found fault with, without a server.
@Suite struct PlanLintTests {
    private static func findings(
        _ old: [PropertyDescription], _ new: [PropertyDescription], rows: [String: Int] = [:]
    ) throws -> [LintFinding] {
        let plan = try MigrationPlan(
            from: ManagedObjectModel(entities: [entity("Person", old)]),
            to: ManagedObjectModel(entities: [entity("Person", new)]))
        return PlanLint.findings(in: StagedMigrationPlan(plan), rows: rows)
    }

    @Test func whatOnlyChangesTheCatalogueIsFine() throws {
        let name = PropertyDescription.attribute("name", .string)
        #expect(try Self.findings([name], [name, .attribute("age", .integer32)]).isEmpty)
        let required = PropertyDescription.attribute("name", .string, optional: false)
        #expect(try Self.findings([required], [name]).isEmpty)
    }

    @Test func whatReadsAllRowsCountsByTheirNumber() throws {
        let old = PropertyDescription.attribute("name", .string)
        let new = PropertyDescription.attribute("name", .string, optional: false)
        let unknown = try Self.findings([old], [new])
        #expect(unknown.map(\.rule) == [.scan] && unknown.map(\.severity) == [.warning])
        #expect(try Self.findings([old], [new], rows: ["person": 100]).map(\.severity) == [.note])
        #expect(try Self.findings([old], [new], rows: ["person": 10_000]).map(\.severity) == [.warning])
    }

    @Test func dropsAreWarningsWhateverTheRows() throws {
        let found = try Self.findings(
            [.attribute("name", .string), .attribute("age", .integer32)], [.attribute("name", .string)],
            rows: ["person": 0])
        #expect(found.map(\.rule) == [.drop] && found.map(\.severity) == [.warning], "\(found)")
    }

    @Test func plansOfStoresKnowTheirRows() throws {
        let plan = try MigrationPlan(
            from: ManagedObjectModel(entities: [entity("Person", [.attribute("age", .integer32)])]),
            to: ManagedObjectModel(entities: [entity("Person", [.attribute("age", .integer64)])]))
        #expect(plan.estimated(["person": 42]).description.contains("about 42 rows"))
        #expect(!plan.json.contains("estimatedRows"))
    }
}
