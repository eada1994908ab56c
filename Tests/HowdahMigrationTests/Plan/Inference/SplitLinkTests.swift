import HowdahMigration
import HowdahModel
import TestSupport
import Testing

/// A to-many relationship that moves from a parent to several of its sub-entities takes the links of each along.
@Suite struct SplitLinkTests {
    enum Form: String, CaseIterable, Sendable {
        case oneToMany, manyToMany, oneWay
    }

    private static func target(_ inverses: [(name: String, to: String)], _ form: Form) -> EntityDescription {
        let relationships = inverses.map { name, destination in
            PropertyDescription.relationship(
                name, to: destination, inverse: "ts", toMany: form == .manyToMany,
                renamingIdentifier: name == "p2" ? "p" : nil)
        }
        return entity("T", [.attribute("n", .string)] + (form == .oneWay ? [] : relationships))
    }

    private static func members(_ inverse: String, _ form: Form) -> PropertyDescription {
        .relationship("ts", to: "T", inverse: form == .oneWay ? nil : inverse, toMany: true)
    }

    private static func models(_ form: Form, abstract: Bool) -> [[EntityDescription]] {
        let name = PropertyDescription.attribute("name", .string)
        return [
            [
                entity("P", [name, members("p", form)], abstract: abstract), entity("S1", super: "P"),
                entity("S2", super: "P"), target([("p", "P")], form),
            ],
            [
                entity("P", [name], abstract: abstract), entity("S1", [members("p", form)], super: "P"),
                entity("S2", [members("p2", form)], super: "P"), target([("p", "S1"), ("p2", "S2")], form),
            ],
        ]
    }

    /// Objects 1, 2 and 3 are an S1, an S2 and a P; each has two of the objects 11 to 16.
    private static func rows(_ form: Form, abstract: Bool) -> [String] {
        let owners = abstract ? ["S1", "S2"] : ["S1", "S2", "P"]
        return owners.enumerated().flatMap { place, entity in
            let owner = place + 1
            return ["INSERT INTO p (_id, _version, _entity) VALUES (\(owner), 1, '\(entity)')"]
                + [9 + 2 * owner, 10 + 2 * owner].flatMap { key in
                    switch form {
                    case .oneToMany:
                        [
                            "INSERT INTO t (_id, _version, p, p_entity) VALUES (\(key), 1, \(owner), '\(entity)')"
                        ]
                    case .manyToMany, .oneWay:
                        [
                            "INSERT INTO t (_id, _version) VALUES (\(key), 1)",
                            "INSERT INTO p_ts (p, p_entity, ts) VALUES (\(owner), '\(entity)', \(key))",
                        ]
                    }
                }
        }
    }

    private static func links(_ form: Form) -> String {
        switch form {
        case .oneToMany:
            "SELECT CAST(p AS text), CAST(p2 AS text), CAST(_id AS text) FROM t "
                + "WHERE p IS NOT NULL OR p2 IS NOT NULL ORDER BY _id"
        case .manyToMany:
            "SELECT CAST(p AS text), NULL, CAST(ts AS text) FROM s1_ts UNION ALL "
                + "SELECT NULL, CAST(p2 AS text), CAST(ts AS text) FROM s2_ts ORDER BY 3"
        case .oneWay:
            "SELECT CAST(s1 AS text), NULL, CAST(ts AS text) FROM s1_ts UNION ALL "
                + "SELECT NULL, CAST(s2 AS text), CAST(ts AS text) FROM s2_ts ORDER BY 3"
        }
    }

    @Test(arguments: Form.allCases, [false, true]) func eachSubentityKeepsItsLinks(
        form: Form, defers: Bool
    ) async throws {
        for abstract in [false, true] {
            let models = Self.models(form, abstract: abstract)
            let trial = RowTrial(
                old: models[0], new: models[1], rows: Self.rows(form, abstract: abstract),
                words: abstract ? [] : ["P.ts"], defers: defers)
            let outcome = try await trial.run(Self.links(form))
            #expect(outcome.refusal == nil && outcome.violations.isEmpty, "\(outcome)")
            #expect(outcome.answer == ["1||11", "1||12", "|2|13", "|2|14"], "\(outcome)")
        }
    }

    /// The links of the parent's own objects go only if that is confirmed.
    @Test(arguments: Form.allCases) func linksOfTheParentNeedTheirName(_ form: Form) async throws {
        let models = Self.models(form, abstract: false)
        let outcome = try await RowTrial(
            old: models[0], new: models[1], rows: Self.rows(form, abstract: false)
        ).run("SELECT 'asked'")
        #expect(outcome.refusal?.refusals.map(\.confirmation) == ["P.ts"], "\(outcome)")
    }
}
