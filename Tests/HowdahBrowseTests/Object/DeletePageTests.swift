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

    @Test("The deleted object is first, and links are those of the objects at the other end")
    func linksAreNamedByTheirObjects() async throws {
        try await Shop.withSite { site, container in
            let key = try await Self.key(of: "Project", in: container)
            let project = try await site.text("/delete/Project/\(key)")
            #expect(project.contains(">Employee</th><td>is removed from members of the deleted Project</td>"))
            let employee = try await Self.key(of: "Manager", in: container)
            let rows = try await site.text("/delete/Manager/\(employee)").matches(of: /row">([A-Za-z]+)</)
            #expect(rows.first?.1 == "Manager")
        }
    }

    @Test("A preview reads no more rows than its limit, and says so")
    func previewsAreBounded() async throws {
        try await withTestStore(try Self.model()) { container in
            try await container.perform { context in
                let shelf = context.insert("Shelf")
                for _ in 1...30 { context.insert("Book")["shelf"] = shelf }
                try context.save()
            }
            let key = try await Self.key(of: "Shelf", in: container)
            let source = PageSource(container, at: "")
            func text(_ limit: Int) async throws -> (String, Int?) {
                let page = try await DeletePage(source: source, entity: "Shelf", key: key, limit: limit)
                    .page()
                let books = page.sent.first { $0.sql.contains("LIMIT $2") && $0.sql.contains("book") }
                return (page.main.text, books?.rows)
            }
            let (whole, rows) = try await text(30)
            #expect(whole.contains("would take 30 other objects along") && !whole.contains("minimum"))
            #expect(rows == 30)
            let (cut, read) = try await text(29)
            #expect(cut.contains("would take at least 29 other objects along"))
            #expect(cut.contains("stops after 29 objects or two seconds. Each number is a minimum"))
            #expect(read == 30)
            let late = try await container.perform { context in
                let shelf = try context.fetch("Shelf")[0]
                return try context.previewDelete(shelf, upTo: 100, within: .zero)
            }
            #expect(late.isCut && late.deleted["Book"] == nil)
        }
    }
}
