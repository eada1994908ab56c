import HowdahModel
import HowdahRuntime
import TestSupport
import Testing

@testable import HowdahBrowse

/// What deleting an object would take along.
@Suite struct DeletePageTests {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Shelf",
                properties: [
                    .relationship("books", to: "Book", inverse: "shelf", toMany: true, deleteRule: .cascade)
                ]),
            EntityDescription(
                "Book",
                properties: [
                    .attribute("title", .string), .relationship("shelf", to: "Shelf", inverse: "books"),
                    .relationship("reviews", to: "Review", inverse: "book", toMany: true),
                ]),
            EntityDescription(
                "Review", properties: [.relationship("book", to: "Book", inverse: "reviews")]),
        ])
    }

    private static func key(of entity: String, in container: PersistentContainer) async throws -> Int64 {
        try await container.perform { try $0.fetch(entity)[0].objectID.key }
    }

    @Test func theEffectsAreThoseOfTheDeletion() async throws {
        try await withTestStore(try Self.model()) { container in
            try await container.perform { context in
                let shelf = context.insert("Shelf")
                for number in 1...25 {
                    let book = context.insert("Book")
                    (book["shelf"], book["title"]) = (shelf, number == 1 ? " " : "Book \(number)")
                    if number <= 3 { context.insert("Review")["book"] = book }
                }
                try context.save()
            }
            let site = BrowseSite(container) { _ in .read }
            let key = try await Self.key(of: "Shelf", in: container)
            let object = try await site.text("/object/Shelf/\(key)")
            #expect(object.contains("href=\"/delete/Shelf/\(key)\""))
            // A title of a space is no text of a link.
            #expect(object.contains(/>Book \d+<\/a>/))
            #expect(!object.contains(/"> *<\/a>/))
            let text = try await site.text("/delete/Shelf/\(key)")
            #expect(text.contains("would take 25 other objects along. Nothing is deleted here."))
            #expect(text.contains("<td>is deleted</td>") && text.contains("<td>loses its book</td>"))
            #expect(text.matches(of: /<a href="\/object\/Book\/\d+">/).count == 20)
            #expect(text.matches(of: /<a href="\/object\/Review\/\d+">/).count == 3)
            let counts = try await container.perform { context in
                let found = try ["Shelf", "Book", "Review"].map { try context.fetch($0).count }
                context.delete(try context.fetch("Shelf")[0])
                try context.save()
                return (found, try ["Shelf", "Book", "Review"].map { try context.fetch($0).count })
            }
            #expect(counts.0 == [1, 25, 3] && counts.1 == [0, 0, 3])
            _ = try await site.text("/delete/Shelf/\(key)", status: 404)
            _ = try await site.text("/delete/Shelf/\(key)?x=1", status: 400)
        }
    }
}
