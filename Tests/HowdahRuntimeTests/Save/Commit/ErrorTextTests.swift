import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

/// What errors of saves name: the object, the rule, the remedy.
@Suite struct ErrorTextTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Entry",
                properties: [
                    .attribute("text", .string), .attribute("other", .string),
                    .attribute("percent", .integer32, minimum: .int(1), maximum: .int(100)),
                    .attribute("code", .string, minimumLength: 2, maximumLength: 4, regex: "[a-z]*"),
                    .attribute("kind", .string, allowedValues: ["a", "b"]),
                    .attribute("number", .integer64), .attribute("rank", .integer64),
                ],
                uniquenessConstraints: [["number"]],
                fetchIndexes: [
                    FetchIndexDescription("folded", elements: [.expression("lower(text)")])
                ]),
            EntityDescription(
                "Person", properties: [.relationship("passport", to: "Passport", inverse: "holder")]),
            EntityDescription(
                "Passport",
                properties: [.relationship("holder", to: "Person", inverse: "passport", optional: false)]),
        ])
    }

    /// Text that no compression makes shorter.
    private static func noise(_ length: Int) -> String {
        var random = SeededGenerator(seed: 7)
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<length).map { _ in letters[Int(random.next() % UInt64(letters.count))] })
    }

    /// Rows that another program stored with ids of its own are in the way of the sequence.
    @Test func anIdThatIsTakenNamesTheSequence() async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows("INSERT INTO entry (_id) SELECT i FROM generate_series(1, 300) i")
            let error = await #expect(throws: SaveError.self) {
                try await container.perform { context in
                    _ = context.insert("Entry")
                    try context.save()
                }
            }
            #expect(error?.code == .uniqueness)
            #expect(error?.message.contains("a row of the table entry has already") == true)
            #expect(error?.message.contains("sequence _howdah_id") == true)
        }
    }

    /// Below 8 kB the server names the index, above it does not.
    @Test(arguments: [4_000, 9_000, 60_000])
    func aValueTooLongForAnExpressionIsFound(length: Int) async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                let short = context.insert("Entry")
                short["text"] = "short"
                // The index does not have it.
                short["other"] = Self.noise(length)
                try context.save()
                short["text"] = "shorter"
                let long = context.insert("Entry")
                long["text"] = Self.noise(length)
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .validation && error.databaseError?.sqlState == "54000")
                #expect(error.issues.map(\.objectID) == [long.objectID])
                #expect(error.issues.map(\.properties) == [["text"]])
                let text = error.issues[0].description
                #expect(text.hasPrefix("Entry.text of "), "\(text)")
                #expect(text.contains("index folded over lower(text). Shorten the value, "), "\(text)")
                long["text"] = "long"
                try context.save()
            }
        }
    }

    @Test func aCheckOfSomebodyElseIsNamed() async throws {
        try await withStore(Self.model()) { container, sql in
            try sql.rows("ALTER TABLE entry ADD CONSTRAINT house_rule CHECK (rank < number)")
            try sql.rows("ALTER TABLE entry ADD CONSTRAINT other_rule UNIQUE (rank)")
            try await container.perform { context in
                let entry = context.insert("Entry")
                (entry["number"], entry["rank"]) = (1, 2)
                for isNew in [true, false] {
                    let error = try #require(saveError { try context.save() })
                    #expect(error.code == .validation)
                    #expect(Set(error.issues.map(\.propertyName)) == ["number", "rank"])
                    #expect(error.issues.allSatisfy { $0.objectID == entry.objectID })
                    #expect(
                        error.issues.allSatisfy {
                            $0.message.contains("house_rule of the table entry")
                                && $0.message.contains("drop the constraint")
                        }, "\(error)")
                    entry["rank"] = 0
                    if isNew { try context.save() }
                    entry["rank"] = 2
                }
                entry["rank"] = 0
                let second = context.insert("Entry")
                (second["number"], second["rank"]) = (2, 0)
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .uniqueness && error.issues.map(\.propertyName) == ["rank"])
                #expect(error.issues[0].message.contains("other_rule"), "\(error)")
            }
            // In a larger transaction too, which goes on.
            try await container.perform(isolation: .repeatableRead) { context in
                let entry = context.insert("Entry")
                (entry["number"], entry["rank"]) = (10, 20)
                let error = try #require(saveError { try context.save() })
                #expect(error.issues.map(\.propertyName) == ["number", "rank"])
                entry["rank"] = 9
                try context.save()
            }
        }
    }

    @Test func rulesAreToldWithTheirBoundsAndTheObject() async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                let entry = context.insert("Entry")
                try context.save()
                let name = entry.objectID.uriRepresentation.lastPathComponent
                let cases: [(String, Any, String)] = [
                    ("percent", 101, "exceeds the model's maximum of 100. Give it a smaller value. (1610)"),
                    ("percent", 0, "is below the model's minimum of 1. Give it a larger value. (1620)"),
                    ("code", "abcde", "is longer than the model's maximum length of 4. Shorten it. (1660)"),
                    (
                        "code", "a",
                        "is shorter than the model's minimum length of 2. Give it a longer text. (1670)"
                    ),
                    (
                        "code", "AB",
                        "does not match the model's pattern [a-z]*. Give it a text that matches. (1680)"
                    ),
                    (
                        "kind", "c",
                        "is not one of the model's allowed values (\"a\", \"b\"). Give it one of them. (1550)"
                    ),
                ]
                for (key, value, text) in cases {
                    entry[key] = value
                    let error = try #require(saveError { try context.save() })
                    #expect(error.issues.map(\.description) == ["Entry.\(key) of \(name): \(text)"])
                    context.rollback()
                }
                entry["number"] = 7
                try context.save()
                let twin = context.insert("Entry")
                twin["number"] = 7
                let error = try #require(saveError { try context.save() })
                #expect(error.issues.count == 1)
                let text = error.issues[0].description
                #expect(
                    text.contains(". Change one of the two objects") && text.hasSuffix("(1551)"), "\(text)")
            }
        }
    }

    @Test func theObjectThatLostItsDestinationIsToldFromTheOneThatTookIt() async throws {
        try await withStore(Self.model()) { container, _ in
            try await container.perform { context in
                let (person, old) = (context.insert("Person"), context.insert("Passport"))
                old["holder"] = person
                try context.save()
                let new = context.insert("Passport")
                new["holder"] = person
                let error = try #require(saveError { try context.save() })
                #expect(error.issues.map(\.objectID) == [old.objectID])
                let names = [person, old, new].map { $0.objectID.uriRepresentation.lastPathComponent }
                #expect(
                    error.issues.map(\.description) == [
                        "Passport.holder of \(names[1]): lost its required destination Person \(names[0]), whose passport is "
                            + "now Passport \(names[2]). Delete this Passport, or set another Person. (1570)"
                    ])
                context.delete(old)
                try context.save()
            }
        }
    }
}
