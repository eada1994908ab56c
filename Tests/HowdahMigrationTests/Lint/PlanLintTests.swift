import HowdahMigration
import HowdahModel
import HowdahSchema
import TestSupport
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

    /// The rows of the new table are read, and it has none. The control: an old table gets the same reference.
    @Test(arguments: [false, true]) func referencesOfNewTablesReadNoRows(hasParcels: Bool) throws {
        let order = entity("Order", [.attribute("name", .string)])
        let code = PropertyDescription.attribute("code", .string)
        let referring = entity("Parcel", [code, .relationship("order", to: "Order", inverse: nil)])
        let plan = try MigrationPlan(
            from: ManagedObjectModel(entities: hasParcels ? [order, entity("Parcel", [code])] : [order]),
            to: ManagedObjectModel(entities: [order, referring]))
        let found = PlanLint.findings(in: StagedMigrationPlan(plan), rows: ["order": 1_000_000])
        #expect(found.contains { $0.rule == .validation } == hasParcels, "\(found)")
        let few = PlanLint.findings(in: StagedMigrationPlan(plan), rows: ["order": 1_000_000, "parcel": 10])
        #expect(few.allSatisfy { $0.severity == .note }, "\(few)")
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

    private static let laterOld: [PropertyDescription] = [
        .attribute("name", .string), .attribute("age", .integer32),
    ]
    private static let laterNew: [PropertyDescription] = [.attribute("name", .string, optional: false)]

    private static func plan(deferring: Bool) throws -> StagedMigrationPlan {
        StagedMigrationPlan(
            try MigrationPlan(
                from: ManagedObjectModel(entities: [entity("Person", laterOld)]),
                to: ManagedObjectModel(entities: [entity("Person", laterNew)]), shouldDefer: deferring))
    }

    @Test func whatRunsLaterIsSafe() throws {
        let plan = try Self.plan(deferring: true)
        let found = PlanLint.findings(in: plan)
        for finding in found {
            let step = try #require(finding.step.map { plan.stages[0].plan.steps[$0 - 1] })
            #expect((finding.severity == .warning) == (step.execution == .immediate), "\(finding)")
            #expect((finding.severity == .safe) == (step.work != nil), "\(finding)")
        }
        #expect(Set(found.map(\.severity)) == [.safe, .note, .warning], "\(found)")
        let steps = Set(found.compactMap(\.step))
        for (place, step) in plan.stages[0].plan.steps.enumerated() where step.execution != .immediate {
            #expect(steps.contains(place + 1), "\(step)")
        }
    }

    /// Taken out of the model is not renamed, although the column first gets another name.
    @Test func whatIsSetAsideIsToldAsADrop() throws {
        let found = PlanLint.findings(in: try Self.plan(deferring: true))
        #expect(!found.contains { $0.rule == .rename }, "\(found)")
        #expect(found.filter { $0.rule == .drop }.map(\.severity) == [.warning, .note], "\(found)")
    }

    @Test func deferralIsAdvisedWhereItHelps() throws {
        let (plan, deferred) = (try Self.plan(deferring: false), try Self.plan(deferring: true))
        let advised = PlanLint.findings(in: plan, deferred: deferred)
        #expect(!advised.isEmpty && advised.allSatisfy { $0.idiom.contains("--defer") }, "\(advised)")
        let alone = PlanLint.findings(in: plan)
        #expect(alone.map(\.rule) == advised.map(\.rule))
        #expect(alone.allSatisfy { !$0.idiom.contains("--defer") }, "\(alone)")
        let wider = StagedMigrationPlan(
            try MigrationPlan(
                from: ManagedObjectModel(entities: [entity("Person", [.attribute("age", .integer32)])]),
                to: ManagedObjectModel(entities: [entity("Person", [.attribute("age", .integer64)])])))
        let rewrite = PlanLint.findings(in: wider, deferred: wider)
        #expect(rewrite.map(\.rule) == [.rewrite] && !rewrite[0].idiom.contains("--defer"), "\(rewrite)")
    }
}
