import Foundation
import Howdah
import HowdahModel
import TestSupport
import Testing

@testable import HowdahRuntime

/// What the server does by itself with a table of 20,000 rows and its statistics: no setting steers the plans.
@Suite struct ChosenIndexTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Person",
                properties: [
                    .attribute("name", .string, optional: false, maximumLength: 80),
                    .attribute("bio", .string, userInfo: [MappingKey.foldedIndex: "c"]),
                    .attribute("nick", .string, caseInsensitive: true, maximumLength: 40),
                    .attribute("number", .integer64, optional: false),
                    .attribute("bornAt", .date), .attribute("weight", .decimal),
                    .relationship("team", to: "Team", inverse: "members"),
                ],
                fetchIndexes: [
                    FetchIndexDescription("name", on: "name"), FetchIndexDescription("bio", on: "bio"),
                    FetchIndexDescription("nick", on: "nick"), FetchIndexDescription("number", on: "number"),
                    FetchIndexDescription("bornAt", on: "bornAt"),
                    FetchIndexDescription("weight", on: "weight"),
                    FetchIndexDescription("folded", elements: [.folded("name")]),
                ]),
            EntityDescription(
                "Team",
                properties: [
                    .attribute("title", .string),
                    .relationship("members", to: "Person", inverse: "team", toMany: true),
                ]),
        ])
    }

    private static let rows = """
        INSERT INTO team (title) SELECT 'Team ' || i FROM generate_series(1, 500) i;
        INSERT INTO person (name, bio, nick, number, born_at, weight, team)
        SELECT 'Pérson ' || i, 'bio ' || i || repeat(' x', 40), 'Nick ' || i, i,
            timestamptz '2000-01-01' + i * interval '1 day', i / 10.0,
            (SELECT min(_id) FROM team) + i % 500
        FROM generate_series(1, 20000) i;
        ANALYZE
        """

    private static func cases() throws -> [(PredicateTree, String)] {
        let day = Date(timeIntervalSince1970: 1_000_000_000)
        let weight = try #require(Decimal(string: "77.7"))
        return [
            // Equality.
            (.format("name == 'Pérson 5'"), "person_name_idx"), (.format("bio == 'bio 5'"), "person_bio_idx"),
            (.format("number == 5"), "person_number_idx"),
            (.format("bornAt == %@", day), "person_born_at_idx"),
            (.format("weight == %@", weight), "person_weight_idx"),
            (.format("weight == 77.5"), "person_weight_idx"),
            // Ranges.
            (.format("number > 19990"), "person_number_idx"), (.format("number <= 10"), "person_number_idx"),
            (.format("number BETWEEN {50, 60}"), "person_number_idx"),
            (.format("number >= 50 AND number < 60"), "person_number_idx"),
            (.format("name >= 'Pérson 9995'"), "person_name_idx"),
            (.format("bio BETWEEN {'bio 5', 'bio 51'}"), "person_bio_idx"),
            (.format("bornAt BETWEEN %@", [day, day + 86_400]), "person_born_at_idx"),
            // IN.
            (.format("number IN {5, 6, 7}"), "person_number_idx"),
            (.format("name IN {'Pérson 5', 'Pérson 6'}"), "person_name_idx"),
            (.format("bio IN {'bio 5', 'x'}"), "person_bio_idx"),
            // Folded equality, IN and ranges.
            (.format("name ==[cd] 'PERSON 5'"), "person_folded_idx"),
            (.format("name IN[cd] {'person 5', 'PERSON 6'}"), "person_folded_idx"),
            (.format("name >[cd] 'PERSON 9995'"), "person_folded_idx"),
            (
                .format("bio ==[c] %@", "BIO 5" + String(repeating: " X", count: 40)),
                "person_by_bio_folded_idx"
            ),
            (.format("bio IN[c] {'BIO 5'}"), "person_by_bio_folded_idx"),
            (.format("bio BETWEEN[c] {'BIO 5', 'BIO 51'}"), "person_by_bio_folded_idx"),
            (.format("bio BEGINSWITH[c] 'BIO 777'"), "person_by_bio_folded_idx"),
            (.format("nick == 'NICK 5'"), "person_nick_idx"),
            (.format("nick ==[c] 'NICK 5'"), "person_nick_idx"),
            (.format("nick IN {'NICK 5'}"), "person_nick_idx"),
            // Prefixes.
            (.format("name BEGINSWITH 'Pérson 777'"), "person_name_idx"),
            (.format("bio BEGINSWITH 'bio 777'"), "person_bio_idx"),
            (.format("name BEGINSWITH[cd] 'PERSON 777'"), "person_folded_idx"),
            (.format("nick BEGINSWITH 'NICK 777'"), "person_nick_idx"),
            // Behind a relationship, from both sides.
            (.format("team.title == 'Team 7' AND number == 7"), "person_number_idx"),
        ]
    }

    @Test func theServerChoosesTheIndexes() async throws {
        try await withStore(Self.model()) { container, sql in
            for statement in Self.rows.split(separator: ";") { try sql.rows(String(statement)) }
            let cases = try Self.cases()
            for (predicate, index) in cases {
                let preview = try await container.perform { context in
                    var request = FetchRequest<ManagedObject>(entityName: "Person")
                    request.predicate = predicate
                    return try context.explain(request)
                }
                let plan = preview.plan.joined(separator: "\n")
                #expect(
                    plan.contains("on \(index) ") || plan.contains("using \(index) "), "\(predicate): \(plan)"
                )
                #expect(plan.contains("Index Cond") && !plan.contains("Seq Scan on person"), "\(plan)")
            }
            // And the members of few owners, by the foreign key.
            let plan = try await container.perform { context in
                var request = FetchRequest<ManagedObject>(entityName: "Team")
                request.predicate = .format("title == 'Team 7' AND ANY members.number == 7")
                return try context.explain(request).plan.joined(separator: "\n")
            }
            #expect(plan.contains("person") && !plan.contains("Seq Scan on person"), "\(plan)")
        }
    }
}
