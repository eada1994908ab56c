import HowdahMigration
import HowdahModel
import HowdahSchema
import TestSupport
import Testing

/// Which steps are at once, online and later; no server is needed.
@Suite struct DeferredPlanTests {
    private static func plan(shouldDefer: Bool) throws -> MigrationPlan {
        try MigrationPlan(
            from: Register.old(), to: Register.new(), confirmedDrops: ["Gone", "Person.nick"],
            shouldDefer: shouldDefer)
    }

    @Test func withoutTheOptionEverythingIsOneTransaction() throws {
        let plan = try Self.plan(shouldDefer: false)
        #expect(
            plan.steps.allSatisfy { $0.execution == .immediate && $0.work == nil && $0.violationQuery == nil }
        )
        #expect(plan.description.contains("steps, 1 transaction"))
        #expect(!plan.description.contains("NOT VALID") && !plan.description.contains("CONCURRENTLY"))
    }

    @Test func eachStepHasItsKind() throws {
        let plan = try Self.plan(shouldDefer: true)
        let kinds = plan.steps.filter { $0.execution != .immediate }.map {
            "\($0.execution.rawValue): \($0.reason)"
        }
        #expect(
            kinds == [
                "online: default of Person.age", "online: Person.title is unique",
                "deferred: index of Person.age", "deferred: Person.age is required",
                "deferred: rule of Person.height", "deferred: Person.club refers to club",
                "deferred: person.nick removed", "deferred: table gone removed",
            ])
        let immediate = plan.steps.filter { $0.execution == .immediate }
        // No row is read or written, no index built.
        #expect(immediate.allSatisfy { $0.check == nil && !$0.rewritesTable })
        let text = immediate.flatMap(\.statements).joined(separator: "\n")
        for word in [
            "UPDATE \"", "CREATE INDEX", "CREATE UNIQUE", "DROP COLUMN", "DROP TABLE", "SET NOT NULL",
        ] {
            #expect(!text.contains(word), "\(word) in \(text)")
        }
        #expect(plan.description.contains("2 online, 6 deferred, no rewrite"), "\(plan)")
        #expect(plan.description.contains("Person.title is unique   SHARE UPDATE EXCLUSIVE, online"))
        #expect(plan.json.contains("\"execution\" : \"deferred\""))
    }

    /// What the new model can observe stays in the transaction.
    @Test func whatCanBeSeenIsNotDeferred() throws {
        let old = try ManagedObjectModel(entities: [
            entity("Base", [.attribute("x", .string), .attribute("name", .string)], abstract: true),
            entity("A", super: "Base"), entity("B", super: "Base"),
        ])
        let new = try ManagedObjectModel(entities: [
            entity(
                "Base", [.attribute("name", .string, optional: false, default: "")], abstract: true,
                unique: [["name"]]),
            entity("A", [.attribute("x", .string)], super: "Base"), entity("B", super: "Base"),
        ])
        let plan = try MigrationPlan(from: old, to: new, shouldDefer: true)
        let places = Dictionary(
            plan.steps.map { ($0.reason, $0.execution) }, uniquingKeysWith: { first, _ in first })
        // Defaults that are unique are no good, and the transaction says so.
        #expect(places["default of Base.name"] == .immediate, "\(plan)")
        #expect(places["values of A.x removed from objects of B"] == .deferred, "\(plan)")
        let clear = plan.steps.first { $0.reason == "values of A.x removed from objects of B" }
        #expect(clear?.work == .batches(table: "base", key: "_id"))
    }
}
