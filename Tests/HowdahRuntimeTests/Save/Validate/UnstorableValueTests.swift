import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// Values that no column takes: the error of the save says whose they are, and what to do.
@Suite struct UnstorableValueTests {
    private static func model() throws -> ManagedObjectModel {
        let place = CompositeDescription("Place", [.init("city", .string), .init("seenAt", .date)])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Note",
                properties: [
                    .attribute("title", .string), .attribute("writtenAt", .date),
                    .attribute("tags", .array(of: .string)), .attribute("days", .array(of: .date)),
                    .attribute("place", .composite(place)), .attribute("link", .uri),
                    .attribute(
                        "payload", .transformable, userInfo: [MappingKey.jsonb: "true"]),
                    .attribute("code", .string), .attribute("part", .integer32),
                    .attribute("hint", .string),
                ], uniquenessConstraints: [["code", "part"]],
                fetchIndexes: [FetchIndexDescription("tags", on: "tags", method: .gin)])
        ])
    }

    private static let wrong: [(property: String, value: any Sendable, path: String, part: String)] = [
        ("title", "a\0b", "title", "U+0000"),
        ("writtenAt", Date(timeIntervalSince1970: 1e15), "writtenAt", "4714 BC"),
        ("writtenAt", Date(timeIntervalSince1970: .nan), "writtenAt", "NaN or infinite"),
        ("writtenAt", Date(timeIntervalSince1970: -.infinity), "writtenAt", "NaN or infinite"),
        ("tags", ["ok", "b\0"], "tags", "index 1"),
        ("days", [Date(timeIntervalSince1970: -1e15)], "days", "index 0"),
        ("place.city", "\0", "place.city", "U+0000"),
        ("place.seenAt", Date(timeIntervalSince1970: .infinity), "place.seenAt", "NaN or infinite"),
        ("payload", Data(#"{"a": ["\u0000"]}"#.utf8), "payload", "U+0000"),
        ("payload", Data("{".utf8), "payload", "is not JSON"),
    ]

    /// Written one by one, by arrays, and by COPY.
    @Test(arguments: [1, 10, 200])
    func theErrorNamesEntityPropertyAndObject(count: Int) async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                for (property, value, path, part) in Self.wrong {
                    var notes: [ManagedObject] = []
                    for index in 0..<count {
                        let note = context.insert("Note")
                        note["title"] = "note \(index)"
                        notes.append(note)
                    }
                    let culprit = notes[count / 2]
                    culprit[property] = value
                    let error = try #require(saveError { try context.save() }, "\(property)")
                    #expect(error.code == .validation, "\(property)")
                    #expect(error.issues.map(\.propertyName) == [path], "\(error)")
                    #expect(error.issues.first?.objectID == culprit.objectID)
                    #expect(error.issues.first?.entityName == "Note")
                    #expect(error.issues.first?.message.contains(part) == true, "\(error)")
                    #expect(!error.description.contains("note 0"), "no values")
                    context.rollback()
                }
                #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Note")) == 0)
            }
        }
    }

    @Test func anUpdateIsNamedToo() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let note = context.insert("Note")
                try context.save()
                note["hint"] = "\0"
                let error = try #require(saveError { try context.save() })
                #expect(error.issues.map(\.propertyName) == ["hint"])
                #expect(error.issues.first?.objectID == note.objectID)
                note["hint"] = "fine"
                try context.save()
            }
        }
    }

    /// Beside other broken rules it is one more of them, with every policy.
    @Test(arguments: [MergePolicy.MergeType.error, .overwrite])
    func theyAreAmongAllErrorsAtOnce(type: MergePolicy.MergeType) async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Book",
                properties: [
                    .attribute("title", .string, optional: false), .attribute("code", .string),
                    .attribute("pages", .integer32, optional: false),
                ], uniquenessConstraints: [["code"]])
        ])
        try await withTestStore(model) { container in
            try await container.perform { context in
                context.mergePolicy = MergePolicy(merge: type)
                let (one, other) = (context.insert("Book"), context.insert("Book"))
                one["title"] = "a\0"
                one["pages"] = 1
                other["code"] = "\0"
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .validation)
                #expect(
                    Set(error.issues.map { "\($0.propertyName ?? "") \($0.code)" }) == [
                        "title 1550", "title 1570", "code 1550", "pages 1570",
                    ])
                #expect(error.issues.first { $0.propertyName == "code" }?.objectID == other.objectID)
                let own = #expect(throws: SaveError.self) { try other.validateForInsert() }
                #expect(own?.issues.count == 3)
            }
        }
    }

    @Test func elementsThatAreTooLongForTheirIndexAreNamed() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                let (short, long) = (context.insert("Note"), context.insert("Note"))
                short["tags"] = ["a"]
                var random = SeededGenerator(seed: 7)
                long["tags"] = [
                    "a",
                    String(
                        (0..<9_000).map { _ in
                            Character(Unicode.Scalar(UInt8.random(in: 33...126, using: &random)))
                        }),
                ]
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .validation && error.databaseError?.sqlState == "54000")
                #expect(error.issues.map(\.propertyName) == ["tags"])
                #expect(error.issues.first?.objectID == long.objectID)
                #expect(error.issues.first?.message.contains("position 1 (from 0)") == true)
            }
        }
    }

    @Test func aCompoundConstraintIsOneIssueWithAllMembers() async throws {
        try await withTestStore(Self.model()) { container in
            try await container.perform { context in
                func note(_ code: String, _ part: Int) -> ManagedObject {
                    let note = context.insert("Note")
                    note["code"] = code
                    note["part"] = part
                    return note
                }
                _ = note("x", 1)
                try context.save()
                let (other, same) = (note("x", 2), note("x", 1))
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .uniqueness && error.issues.count == 1)
                let issue = try #require(error.issues.first)
                #expect(issue.properties == ["code", "part"] && issue.propertyName == nil)
                #expect(issue.objectID == same.objectID && issue.objectID != other.objectID)
                #expect(issue.description.hasPrefix("Note.(code, part) of "))
                #expect(issue.message.hasPrefix("have values together that another object has already"))
                // Found by looking, as with each policy that resolves, it says the same.
                context.mergePolicy = .rollback
                let third = note("x", 1)
                let looked = try #require(saveError { try context.save() })
                #expect(
                    looked.issues.first { $0.objectID == third.objectID }?.message.hasPrefix("have values")
                        == true)
            }
        }
    }

    @Test(arguments: [1, 3])
    func derivedValuesThatOverflowAreNamed(count: Int) async throws {
        let model = try ManagedObjectModel(entities: [
            EntityDescription(
                "Cart",
                properties: [
                    .relationship("items", to: "Item", inverse: "cart", toMany: true),
                    .attribute("total", .integer16, derivation: "items.@sum.price"),
                    .attribute("size", .integer64, derivation: "items.@count"),
                ]),
            EntityDescription(
                "Item",
                properties: [
                    .attribute("price", .integer16), .relationship("cart", to: "Cart", inverse: "items"),
                ]),
        ])
        try await withTestStore(model) { container in
            try await container.perform { context in
                let carts = (0..<count).map { _ in context.insert("Cart") }
                try context.save()
                for cart in carts {
                    for _ in 0..<2 {
                        let item = context.insert("Item")
                        item["price"] = cart === carts.last ? 30_000 : 1
                        item["cart"] = cart
                    }
                }
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .validation && error.databaseError?.sqlState == "22003")
                #expect(
                    error.issues.map(\.propertyName) == ["total"] && error.issues.first?.entityName == "Cart")
                #expect(error.issues.first?.objectID == (count == 1 ? carts[0].objectID : nil))
                if count > 1 {
                    let key = try #require(carts.last?.objectID.uriRepresentation.lastPathComponent)
                    #expect(error.issues.first?.message.contains(key) == true, "\(error)")
                }
                #expect(error.issues.first?.message.contains("Integer 64") == true)
            }
        }
    }
}
