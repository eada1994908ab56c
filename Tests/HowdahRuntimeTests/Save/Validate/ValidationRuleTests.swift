import Foundation
import Howdah
import HowdahModel
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// What the model allows is checked in memory by the save, and by the database whoever writes.
@Suite struct ValidationRuleTests {
    private static func model(_ attribute: PropertyDescription) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [EntityDescription("Thing", properties: [attribute])])
    }

    @Test func allowedValuesAreTheOnlyOnes() async throws {
        let uuid = UUID()
        let cases: [(AttributeType, [Value], right: Any, wrong: Any, sql: String)] = [
            (.string, ["a", "it's", "e\u{301}"], "é", "b", "'b'"), (.integer16, [1, 2], 2, 3, "3"),
            (.decimal, [0.1], Decimal(string: "0.1") ?? 0, Decimal(1), "1"),
            (.float, [0.1], Float(0.1), Float(1), "1"),
            (.uuid, [.uuid(uuid)], uuid, UUID(), "gen_random_uuid()"),
            (.boolean, [true], true, false, "false"),
            (
                .date, [.date(Date(timeIntervalSince1970: 1.5))], Date(timeIntervalSince1970: 1.5), Date(),
                "now()"
            ),
            (.binary, [.data(Data([0, 1]))], Data([0, 1]), Data([0]), "'a'"),
        ]
        for (type, values, right, wrong, literal) in cases {
            try await withStore(Self.model(.attribute("x", type, allowedValues: values))) { container, sql in
                #expect(throws: PostgresError.self) {
                    try sql.rows("INSERT INTO thing (x) VALUES (\(literal))")
                }
                try sql.rows("INSERT INTO thing (x) VALUES (NULL)")
                let (right, wrong) = (Sent(right), Sent(wrong))
                try await container.perform { context in
                    let thing = context.insert("Thing")
                    thing["x"] = wrong.value
                    let error = saveError { try context.save() }
                    #expect(error?.issues.map(\.propertyName) == ["x"], "\(type)")
                    #expect(error?.databaseError == nil, "found in memory")
                    thing["x"] = right.value
                    try context.save()
                }
            }
        }
    }

    /// Unchecked, because `Any` is not Sendable; what is in it are plain values that nobody changes.
    private struct Sent: @unchecked Sendable {
        let value: Any
        init(_ value: Any) { self.value = value }
    }

    /// A Swift string of UTF-16 length 4 with 2 to 4 scalars.
    @Test(arguments: ["abcd", "🐘🐘", "a🐘b"])
    func lengthsAreUTF16Units(text: String) async throws {
        let model = try Self.model(.attribute("x", .string, minimumLength: 4, maximumLength: 4))
        try await withStore(model) { container, sql in
            try await container.perform { context in
                let thing = context.insert("Thing")
                for (wrong, code) in [
                    (String(text.dropLast()), 1670), (text + "🐘", 1660), (text + "x", 1660),
                ] {
                    thing["x"] = wrong
                    #expect(saveError { try context.save() }?.issues.map(\.code) == [code])
                }
                thing["x"] = text
                try context.save()
            }
            // The database counts scalars: it lets in what memory does, and no more than can be of that length.
            #expect(throws: PostgresError.self) { try sql.rows("INSERT INTO thing (x) VALUES ('🐘')") }
            #expect(throws: PostgresError.self) { try sql.rows("INSERT INTO thing (x) VALUES ('abcde')") }
        }
    }

    @Test func patternsOfTheSubsetAreChecksAndOthersAreNot() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Thing",
                properties: [
                    .attribute("shared", .string, regex: "[A-Z]{2}\\d+"),
                    .attribute("look", .string, regex: "(?=a)\\p{L}+"),
                ])
        ])
        try await withStore(model) { container, sql in
            #expect(throws: PostgresError.self) { try sql.rows("INSERT INTO thing (shared) VALUES ('AB')") }
            #expect(throws: PostgresError.self) {
                try sql.rows("INSERT INTO thing (shared) VALUES (E'AB1\\n')")
            }
            try sql.rows("INSERT INTO thing (shared, look) VALUES ('AB1', 'no match')")
            try await container.perform { context in
                let thing = context.insert("Thing")
                (thing["shared"], thing["look"]) = ("AB12x", "bé")
                let error = saveError { try context.save() }
                #expect(error?.issues.map(\.propertyName) == ["shared", "look"])
                #expect(error?.issues.map(\.code) == [1680, 1680])
                (thing["shared"], thing["look"]) = ("AB12", "aé")
                try context.save()
            }
        }
    }

    @Test func uniqueCodesWithAPatternChangeHands() async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Thing",
                properties: [
                    .attribute("code", .string, optional: false, regex: "[A-Z]{4}-\\d{4}x"),
                    .attribute("kind", .string, optional: false, allowedValues: ["a", "b", "c"]),
                ], uniquenessConstraints: [["code"], ["kind"]])
        ])
        try await withStore(model) { container, _ in
            try await container.perform { context in
                let (one, two) = (context.insert("Thing"), context.insert("Thing"))
                (one["code"], one["kind"], two["code"], two["kind"]) = ("ABCD-1234x", "a", "EFGH-5678x", "b")
                try context.save()
                // What stands for a value meanwhile is random.
                for _ in 0..<40 {
                    (one["code"], two["code"]) = (two["code"], one["code"])
                    try context.save()
                }
                (one["kind"], two["kind"]) = ("b", "a")
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .uniqueness && error.issues.map(\.propertyName) == ["kind", "kind"])
            }
        }
    }

    @Test func whatTheServerCannotRunFailsTheCreation() async throws {
        let large = String(repeating: "(?:(?:a|b|[^c]){1,255}){1,255}", count: 3)
        let cases: [(EntityDescription, [String])] = [
            (
                EntityDescription("Thing", properties: [.attribute("big", .string, regex: large)]),
                ["Thing.big", "rule"]
            ),
            (
                EntityDescription(
                    "Thing", properties: [.attribute("a", .string)],
                    fetchIndexes: [.init("i", elements: [.expression("lower(nothing)")])]),
                [
                    "Thing.i", "fetch index", "lower(nothing)", "\"nothing\" does not exist",
                    "names of columns",
                ]
            ),
            (
                EntityDescription(
                    "Thing", properties: [.attribute("a", .string)],
                    fetchIndexes: [.init("i", elements: [.expression("a || now()::text")])]),
                ["Thing.i", "fetch index", "a || now()::text", "IMMUTABLE"]
            ),
        ]
        for (entity, parts) in cases {
            let model = try ManagedObjectModel(entities: [entity])
            let plain = try ManagedObjectModel(entities: [EntityDescription("Other")])
            try await withStore(plain) { _, sql in
                var options = StoreOptions()
                options.schemaName = "second"
                do {
                    let container = try await PersistentContainer.open(
                        sql.url, model: model, options: options)
                    await container.close()
                    Issue.record("\(entity) was made")
                } catch {
                    let error = try #require(error as? StoreError)
                    #expect(error.code == .invalidModel && error.databaseError != nil)
                    for part in parts { #expect(error.message.contains(part), "\(error)") }
                }
                let left = try sql.value("SELECT count(*)::text FROM pg_namespace WHERE nspname = 'second'")
                #expect(left == "0")
            }
        }
    }
}
