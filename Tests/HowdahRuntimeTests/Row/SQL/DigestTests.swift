import Foundation
import Howdah
import HowdahModel
import TestSupport
import Testing

@testable import HowdahRuntime

/// Uniqueness of values that are too long for an index.
@Suite struct DigestTests {
    private static func model(digest: Bool) throws -> ManagedObjectModel {
        let userInfo = digest ? [MappingKey.digest: "true"] : [:]
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Page",
                properties: [
                    .attribute("text", .string, optional: false, userInfo: userInfo),
                    .attribute("image", .binary, userInfo: userInfo), .attribute("number", .integer32),
                ], uniquenessConstraints: [["text"], ["image", "number"]])
        ])
    }

    private static func long(_ seed: UInt64, _ count: Int = 9_000) -> String {
        var random = SeededGenerator(seed: seed)
        return String(
            (0..<count).map { _ in Character(Unicode.Scalar(UInt8.random(in: 33...126, using: &random))) })
    }

    /// The server names the index up to a length, and none beyond.
    @Test(arguments: [3_000, 9_000])
    func withoutDigestTheErrorNamesThePropertyAndTheKey(count: Int) async throws {
        try await withStore(Self.model(digest: false)) { container, _ in
            try await container.perform { context in
                let (page, other) = (context.insert("Page"), context.insert("Page"))
                other["text"] = "short"
                page["text"] = Self.long(1, count)
                let error = try #require(saveError { try context.save() })
                #expect(error.code == .validation && error.databaseError?.sqlState == "54000")
                #expect(error.issues.map(\.propertyName) == ["text"])
                #expect(error.issues.first?.objectID == page.objectID)
                #expect(error.issues.first?.message.contains(MappingKey.digest) == true)
                page["text"] = "now short"
                (page["image"], page["number"]) = (Data(Self.long(2, count).utf8), 1)
                #expect(saveError { try context.save() }?.issues.map(\.propertyName) == ["image"])
                page["image"] = nil
                try context.save()
            }
        }
    }

    @Test func withDigestsLongValuesAreUnique() async throws {
        try await withStore(Self.model(digest: true)) { container, sql in
            try await container.perform { context in
                let (a, b) = (context.insert("Page"), context.insert("Page"))
                let image = Data(Self.long(3).utf8)
                (a["text"], a["image"], a["number"]) = (Self.long(1), image, 1)
                (b["text"], b["image"], b["number"]) = (Self.long(2), image, 2)
                try context.save()
                let c = context.insert("Page")
                c["text"] = Self.long(1)
                var error = try #require(saveError { try context.save() })
                #expect(error.code == .uniqueness && error.issues.map(\.propertyName) == ["text"])
                #expect(error.issues.first?.objectID == c.objectID)
                c["text"] = Self.long(1) + "x"
                (c["image"], c["number"]) = (image, 2)
                error = try #require(saveError { try context.save() })
                #expect(error.code == .uniqueness && error.issues.map(\.properties) == [["image", "number"]])
                c["number"] = 3
                try context.save()
                #expect(try context.fetch(Self.request(text: Self.long(1))).map(\.objectID) == [a.objectID])
            }
            #expect(try sql.value("SELECT count(*)::text FROM page") == "3")
        }
    }

    @Test func valuesChangeHandsInOneSave() async throws {
        try await withStore(Self.model(digest: true)) { container, _ in
            try await container.perform { context in
                let (a, b) = (context.insert("Page"), context.insert("Page"))
                (a["text"], b["text"]) = (Self.long(1), Self.long(2))
                try context.save()
                (a["text"], b["text"]) = (Self.long(2), Self.long(1))
                try context.save()
                #expect(try context.fetch(Self.request(text: Self.long(2))).map(\.objectID) == [a.objectID])
            }
        }
    }

    private static func request(text: String) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: "Page")
        request.predicate = .format("text == %@", text)
        return request
    }
}
