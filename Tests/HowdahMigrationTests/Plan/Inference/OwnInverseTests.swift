import HowdahMigration
import HowdahModel
import TestSupport
import Testing

/// A relationship that becomes its own inverse has its links in both directions.
@Suite struct OwnInverseTests {
    /// A P with the relationships, and a Q below it.
    private static func model(_ relationships: PropertyDescription...) -> [EntityDescription] {
        [entity("P", [.attribute("n", .string)] + relationships), entity("Q", super: "P")]
    }

    private static func link(_ name: String, inverse: String?, toMany: Bool = false, ordered: Bool = false)
        -> PropertyDescription
    {
        .relationship(name, to: "P", inverse: inverse, toMany: toMany, ordered: ordered)
    }

    private static let owners =
        "INSERT INTO p (_id, _version, _entity) VALUES (1, 1, 'P'), (2, 1, 'Q'), (3, 1, 'P'), (4, 1, 'Q')"

    private static func setting(_ owner: Int, _ member: Int) -> String {
        "UPDATE p SET sp = \(member), sp_entity = '\(member.isMultiple(of: 2) ? "Q" : "P")' WHERE _id = \(owner)"
    }

    struct Former: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let model: [EntityDescription]
    }

    static let formers = [
        Former(testDescription: "one-way", model: model(link("sp", inverse: nil))),
        Former(
            testDescription: "one-to-one",
            model: model(
                .relationship("sp", to: "P", inverse: "of", userInfo: ["howdah.column": "sp"]),
                link("of", inverse: "sp"))),
        Former(
            testDescription: "one-to-many",
            model: model(link("sp", inverse: "of"), link("of", inverse: "sp", toMany: true))),
    ]

    @Test(arguments: formers, [false, true]) func aToOneIsWrittenInBothRows(
        _ former: Former, defers: Bool
    ) async throws {
        let new = Self.model(.relationship("sp", to: "P", inverse: "sp"))
        let query =
            "SELECT CAST(_id AS text), CAST(sp AS text), sp_entity FROM p WHERE sp IS NOT NULL ORDER BY _id"
        var trial = RowTrial(
            old: former.model, new: new, rows: [Self.owners, Self.setting(1, 2), Self.setting(3, 3)],
            words: ["P.of"], defers: defers)
        let outcome = try await trial.run(query)
        #expect(outcome.refusal == nil && outcome.violations.isEmpty, "\(outcome)")
        #expect(outcome.answer == ["1|2|Q", "2|1|P", "3|3|P"])
        // Both ends say so already.
        if former.testDescription == "one-way" {
            trial.rows = [Self.owners, Self.setting(1, 2), Self.setting(2, 1)]
            #expect(try await trial.run(query).answer == ["1|2|Q", "2|1|P"])
        }
        // Object 2 has two others.
        trial.rows = [Self.owners, Self.setting(1, 2), Self.setting(2, 3)]
        let refused = try await trial.run(query)
        #expect(refused.refusal?.code == .unfitData)
        #expect(
            refused.refusal?.message.contains(
                "refers to at most one object, but there are several: 1 object (Q 2)")
                == true, "\(refused)")
        #expect(refused.answer == ["1|2|Q", "2|3|P"] && !refused.violations.isEmpty)
    }

    @Test(arguments: formers, [false, true]) func aToOneThatBecomesToManyIsWrittenTwice(
        _ former: Former, defers: Bool
    ) async throws {
        let outcome = try await RowTrial(
            old: former.model, new: Self.model(Self.link("sp", inverse: "sp", toMany: true)),
            rows: [Self.owners, Self.setting(1, 2), Self.setting(3, 3)], words: ["P.of"], defers: defers
        ).run("SELECT CAST(p AS text), p_entity, CAST(sp AS text), sp_entity FROM p_sp ORDER BY p, sp")
        #expect(outcome.refusal == nil && outcome.violations.isEmpty, "\(outcome)")
        #expect(outcome.answer == ["1|P|2|Q", "2|Q|1|P", "3|P|3|P"])
    }

    @Test(arguments: [false, true], [false, true]) func linksOfAManyToManyAreWrittenTwice(
        ordered: Bool, defers: Bool
    ) async throws {
        let old = Self.model(
            Self.link("fr", inverse: "of", toMany: true, ordered: ordered),
            Self.link("of", inverse: "fr", toMany: true))
        let pairs = [(1, 2), (1, 3), (2, 1), (3, 2), (4, 4)]
        let links = pairs.enumerated().map { place, pair in
            let entities = [pair.0, pair.1].map { $0.isMultiple(of: 2) ? "'Q'" : "'P'" }
            return "INSERT INTO p_fr (of, of_entity, fr, fr_entity\(ordered ? ", fr_order" : "")) "
                + "VALUES (\(pair.0), \(entities[0]), \(pair.1), \(entities[1])\(ordered ? ", \(place)" : ""))"
        }
        let outcome = try await RowTrial(
            old: old, new: Self.model(Self.link("fr", inverse: "fr", toMany: true, ordered: ordered)),
            rows: [Self.owners] + links, words: ["P.of"], defers: defers
        ).run(
            "SELECT CAST(p AS text), p_entity, CAST(fr AS text), fr_entity FROM p_fr "
                + "ORDER BY p, \(ordered ? "fr_order" : "fr")")
        #expect(outcome.refusal == nil && outcome.violations.isEmpty, "\(outcome)")
        let wanted = ["1|P|2|Q", "1|P|3|P", "2|Q|1|P", "2|Q|3|P", "3|P|2|Q", "3|P|1|P", "4|Q|4|Q"]
        // New members of a list come last.
        #expect(outcome.answer == (ordered ? wanted : wanted.sorted()), "\(outcome)")
    }

    /// Members that come by the other direction count.
    @Test func boundsAndSumsFollowTheNewMembers() async throws {
        let links = [2, 3, 4].map {
            "INSERT INTO p_fr (p, p_entity, fr, fr_entity) VALUES (\($0), '\($0 == 3 ? "P" : "Q")', 1, 'P')"
        }
        let models = [nil, "fr"].map {
            Self.model(.relationship("fr", to: "P", inverse: $0, toMany: true, maxCount: 2))
        }
        let refused = try await RowTrial(old: models[0], new: models[1], rows: [Self.owners] + links).run(
            "SELECT 'asked'")
        #expect(
            refused.refusal?.message.contains("P.fr must have at most 2 members: 1 object (P 1)") == true,
            "\(refused)")
        let counted = PropertyDescription.attribute("count", .integer64, derivation: "fr.@count")
        let outcome = try await RowTrial(
            old: Self.model(Self.link("fr", inverse: nil, toMany: true), counted),
            new: Self.model(Self.link("fr", inverse: "fr", toMany: true), counted),
            rows: [Self.owners, "UPDATE p SET count = CASE _id WHEN 1 THEN 0 ELSE 1 END"] + links
        ).run("SELECT CAST(count AS text) FROM p ORDER BY _id")
        #expect(outcome.answer == ["3", "1", "1", "1"], "\(outcome)")
    }
}
