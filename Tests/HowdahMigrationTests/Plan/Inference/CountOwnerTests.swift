import HowdahMigration
import HowdahModel
import TestSupport
import Testing

/// Bounds of relationships that stay, while the entities of the owners or of the members change.
@Suite struct CountOwnerTests {
    /// A Dept with a Temp as its only member, and an Oth that has nothing to do with them.
    private static func model(
        manyToMany: Bool, optional: Bool = false, least: Int = 1
    ) -> [EntityDescription] {
        [
            entity(
                "Dept",
                [
                    .relationship(
                        "emps", to: "Emp", inverse: "depts", toMany: true, optional: optional,
                        minCount: least)
                ]),
            entity("Emp", [.relationship("depts", to: "Dept", inverse: "emps", toMany: manyToMany)]),
            entity("Temp", [.attribute("x", .string)], super: "Emp"),
            entity("Oth", [.attribute("y", .string)]),
        ]
    }

    private static func rows(manyToMany: Bool) -> [String] {
        ["INSERT INTO dept (_id, _version) VALUES (1, 1)"]
            + (manyToMany
                ? [
                    "INSERT INTO emp (_id, _version, _entity) VALUES (2, 1, 'Temp')",
                    "INSERT INTO dept_emps (depts, emps, emps_entity) VALUES (1, 2, 'Temp')",
                ] : ["INSERT INTO emp (_id, _version, _entity, depts) VALUES (2, 1, 'Temp', 1)"])
            + ["INSERT INTO oth (_id, _version) VALUES (3, 1)"]
    }

    private static func refusal(
        _ old: [EntityDescription], _ new: [EntityDescription], _ rows: [String], _ words: Set<String>,
        _ defers: Bool
    ) async throws -> String? {
        let outcome = try await RowTrial(old: old, new: new, rows: rows, words: words, defers: defers).run(
            "SELECT 'asked'")
        #expect(outcome.violations.isEmpty == (outcome.refusal == nil), "\(outcome)")
        if let refusal = outcome.refusal { #expect(refusal.code == .unfitData, "\(refusal)") }
        return outcome.refusal?.message
    }

    @Test(arguments: [false, true], [false, true]) func membersThatAreDeletedAreMissed(
        manyToMany: Bool, defers: Bool
    ) async throws {
        let (old, rows) = (Self.model(manyToMany: manyToMany), Self.rows(manyToMany: manyToMany))
        let without = old.filter { $0.name != "Temp" }
        let message = try await Self.refusal(old, without, rows, ["Temp"], defers)
        #expect(message?.contains("Dept.emps must have at least 1 member: 1 object (Dept 1)") == true)
        // A minimum does not hold for an optional relationship without members, but for one with some.
        let more = "INSERT INTO emp (_id, _version, _entity) VALUES (4, 1, 'Emp')"
        let link =
            manyToMany
            ? "INSERT INTO dept_emps (depts, emps, emps_entity) VALUES (1, 4, 'Emp')"
            : "UPDATE emp SET depts = 1 WHERE _id = 4"
        for (least, statements, fits) in [(1, [], true), (2, [more, link], false)] {
            let loose = Self.model(manyToMany: manyToMany, optional: true, least: least)
            let message = try await Self.refusal(
                loose, loose.filter { $0.name != "Temp" }, rows + statements, ["Temp"], defers)
            #expect((message == nil) == fits, "\(message as Any)")
        }
    }

    @Test(arguments: [false, true], [false, true]) func anEntityThatJoinsTheOwnersIsCounted(
        manyToMany: Bool, defers: Bool
    ) async throws {
        let (old, rows) = (Self.model(manyToMany: manyToMany), Self.rows(manyToMany: manyToMany))
        for parents in [["Dept"], ["Middle", "Dept"]] {
            var new = old
            new[3].superentity = parents[0]
            if parents.count > 1 { new.append(entity("Middle", super: "Dept")) }
            let message = try await Self.refusal(old, new, rows, [], defers)
            #expect(
                message?.contains("Dept.emps must have at least 1 member: 1 object (Oth 3)") == true,
                "\(message as Any)")
        }
    }

    @Test(arguments: [false, true]) func membersThatMoveOutAreMissed(defers: Bool) async throws {
        let old = Self.model(manyToMany: false)
        var new = old
        new[2].superentity = nil
        let message = try await Self.refusal(
            old, new, Self.rows(manyToMany: false), ["Emp.depts"], defers)
        #expect(message?.contains("at least 1 member: 1 object (Dept 1)") == true, "\(message as Any)")
    }

    /// Only one side has a column.
    @Test(arguments: [false, true]) func bothSidesOfAOneToOneAreChecked(defers: Bool) async throws {
        func model(optional: Bool) -> [EntityDescription] {
            [
                entity("Car", [.relationship("eng", to: "Eng", inverse: "car", optional: optional)]),
                entity("Eng", [.relationship("car", to: "Car", inverse: "eng", optional: optional)]),
            ]
        }
        for (table, place) in [("car", "Car.eng"), ("eng", "Eng.car")] {
            let message = try await Self.refusal(
                model(optional: true), model(optional: false),
                ["INSERT INTO \(table) (_id, _version) VALUES (1, 1)"], [], defers)
            #expect(message?.contains("\(place) is required but has no object: 1 object") == true)
        }
        let message = try await Self.refusal(
            model(optional: true), model(optional: false), [], [], defers)
        #expect(message == nil)
    }
}
