import HowdahMigration
import HowdahModel
import TestSupport
import Testing

/// Attributes that move to sub-entities and change their types on the way.
@Suite struct MovedConversionTests {
    private static let name = PropertyDescription.attribute("name", .string)

    /// P has the sub-entities S1 and S2, and w is where `types` say.
    private static func model(_ types: [String: AttributeType], optional: Bool = false) -> [EntityDescription]
    {
        ["P", "S1", "S2"].map { entity in
            let own = types[entity].map { [PropertyDescription.attribute("w", $0, optional: optional)] } ?? []
            return TestSupport.entity(
                entity, (entity == "P" ? [name] : []) + own, super: entity == "P" ? nil : "P")
        }
    }

    struct Pair: CustomTestStringConvertible, Sendable {
        let old: AttributeType
        let first: AttributeType
        let second: AttributeType
        let value: String
        /// What both values are as texts.
        let texts: [String]

        var testDescription: String { "\(old) → \(first), \(second)" }
    }

    static let pairs = [
        Pair(old: .boolean, first: .integer16, second: .boolean, value: "true", texts: ["1", "true"]),
        Pair(old: .boolean, first: .integer16, second: .string, value: "true", texts: ["1", "true"]),
        Pair(old: .integer16, first: .boolean, second: .string, value: "1", texts: ["true", "1"]),
        Pair(
            old: .float, first: .double, second: .string, value: "0.1", texts: ["0.10000000149011612", "0.1"]),
        Pair(
            old: .date, first: .string, second: .string, value: "'2001-02-03T04:05:06Z'",
            texts: ["2001-02-03T04:05:06.000000Z", "2001-02-03T04:05:06.000000Z"]),
        Pair(
            old: .uuid, first: .string, second: .uuid, value: "'fa81404f-2a42-4718-8260-852976ead179'",
            texts: ["FA81404F-2A42-4718-8260-852976EAD179", "fa81404f-2a42-4718-8260-852976ead179"]),
    ]

    @Test(arguments: pairs, [false, true]) func eachEntityConvertsTheValueThatItHad(
        _ pair: Pair, defers: Bool
    ) async throws {
        for optional in [false, true] {
            let trial = RowTrial(
                old: Self.model(["P": pair.old], optional: optional),
                new: Self.model(["S1": pair.first, "S2": pair.second], optional: optional),
                rows: [
                    "INSERT INTO p (_id, _version, _entity, w) VALUES (1, 1, 'S1', \(pair.value)), "
                        + "(2, 1, 'S2', \(pair.value)), (3, 1, 'P', \(pair.value))"
                ], words: ["P.w"], defers: defers)
            let outcome = try await trial.run(
                "SELECT CAST(_id AS text), CAST(s1_w AS text), CAST(s2_w AS text) FROM p ORDER BY _id")
            #expect(outcome.refusal == nil && outcome.violations.isEmpty, "\(outcome)")
            #expect(outcome.answer == ["1|\(pair.texts[0])|", "2||\(pair.texts[1])", "3||"])
        }
    }

    /// Values that an entity keeps as they are, or that are deleted, need not fit the new type of another one.
    @Test(arguments: [false, true]) func onlyRowsThatKeepTheirValueAreLookedAt(defers: Bool) async throws {
        let large = "9007199254740993"
        for second in [nil, AttributeType.integer64] {
            var trial = RowTrial(
                old: Self.model(["P": .integer64]),
                new: Self.model(["S1": .integer16].merging(second.map { ["S2": $0] } ?? [:]) { $1 }),
                rows: [
                    "INSERT INTO p (_id, _version, _entity, w) VALUES (1, 1, 'S1', 7), "
                        + "(2, 1, 'S2', \(large)), (3, 1, 'P', \(large))"
                ], words: ["P.w"], defers: defers)
            let column = second == nil ? "NULL" : "s2_w"
            let query = "SELECT CAST(s1_w AS text), CAST(\(column) AS text) FROM p ORDER BY _id"
            let outcome = try await trial.run(query)
            #expect(outcome.refusal == nil && outcome.violations.isEmpty, "\(outcome)")
            #expect(outcome.answer == ["7|", "|\(second == nil ? "" : large)", "|"])
            trial.rows = ["INSERT INTO p (_id, _version, _entity, w) VALUES (4, 1, 'S1', \(large))"]
            let refused = try await trial.run("SELECT CAST(w AS text) FROM p")
            #expect(refused.refusal?.code == .unfitData)
            #expect(
                refused.refusal?.message.contains("the new type of S1.w cannot hold all values") == true)
            #expect(refused.refusal?.message.contains("1 object (S1 4)") == true, "\(refused)")
            #expect(!refused.violations.isEmpty && refused.answer == [large], "\(refused)")
        }
    }

    /// The values of an entity that is removed go with its objects.
    @Test(arguments: [false, true], [["S2"], ["S1", "S2"]]) func objectsThatAreDeletedAreNotLookedAt(
        defers: Bool, removed: [String]
    ) async throws {
        let rows = [("P", 8), ("S1", 70_001), ("S2", 70_002)].map { entity, value in
            let isRemoved = removed.contains(entity)
            return "INSERT INTO p (_id, _version, _entity, w) "
                + "VALUES (\(value), 1, '\(entity)', \(isRemoved ? value : 7))"
        }
        let trial = RowTrial(
            old: Self.model(["P": .integer64]),
            new: Self.model(["P": .integer16]).filter { !removed.contains($0.name) },
            rows: rows, words: Set(removed), defers: defers)
        let outcome = try await trial.run("SELECT CAST(w AS text) FROM p")
        #expect(outcome.refusal == nil && outcome.violations.isEmpty, "\(outcome)")
        #expect(outcome.answer == Array(repeating: "7", count: 3 - removed.count), "\(outcome)")
    }

    /// Each object is named by its own entity.
    @Test func objectsAreNamedByTheirEntities() async throws {
        let trial = RowTrial(
            old: Self.model(["P": .integer64]), new: Self.model(["P": .integer16]),
            rows: [
                "INSERT INTO p (_id, _version, _entity, w) VALUES (1, 1, 'S1', 70000), (2, 1, 'S2', 70000), "
                    + "(3, 1, 'P', 70000), (4, 1, 'S2', 7)"
            ])
        let outcome = try await trial.run("SELECT CAST(count(*) AS text) FROM p")
        #expect(outcome.refusal?.message.contains("3 objects (S1 1, S2 2, P 3)") == true, "\(outcome)")
        #expect(outcome.violations.first?.contains("(S1 1, S2 2, P 3)") == true, "\(outcome)")
    }
}
