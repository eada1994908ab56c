import Foundation
import Howdah
import HowdahTesting
import PQClient

/// A store whose names and texts try to become markup, with values of all kinds.
enum Library {
    static let attack = "<script>document.title = 'attacked'</script>\"'><img src=x onerror=alert(1)>"

    static func model() throws -> ManagedObjectModel {
        let address = CompositeDescription(
            "Address", [AttributeDescription("street", .string), AttributeDescription("city", .string)])
        return try ManagedObjectModel(entities: [
            EntityDescription(
                "Author",
                properties: [
                    .attribute("name", .string, optional: false), .attribute("born", .date),
                    .attribute("home", .composite(address)),
                    .attribute(
                        AttributeDescription("email", .string, userInfo: ["howdah.sensitive": "true"])),
                    .relationship("books", to: "Book", inverse: "author", toMany: true),
                ], uniquenessConstraints: [["name"]]),
            EntityDescription(
                "Work", abstract: true,
                properties: [
                    .attribute("title", .string), .attribute("publishedAt", .date),
                    .attribute(
                        "status", .string, optional: false, default: "open",
                        allowedValues: ["open", "lent", "lost"]),
                    .attribute("price", .decimal), .attribute("copies", .integer32),
                ]),
            EntityDescription(
                "Book", superentity: "Work",
                properties: [
                    .attribute("isbn", .uuid), .attribute("cover", .binary),
                    .attribute("abstract", .string, regex: "<script>|(?s).*"),
                    .relationship("author", to: "Author", inverse: "books"),
                ]),
            EntityDescription(
                "Übersicht", superentity: "Work", properties: [.attribute("straße", .string)]),
        ])
    }

    /// Runs `body` with the pages of a new store of three authors and 120 works.
    ///
    /// - Parameter isHostile: Indicates whether some texts are attacks.
    static func withPages(
        isHostile: Bool = true, _ body: (Pages) async throws -> Void
    ) async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        defer { try? database.drop() }
        let container = try await PersistentContainer.open(database.url, model: model())
        do {
            try await fill(container, isHostile ? attack : "Rosa Field")
            try Connection(ConnectionConfiguration(database.url)).executeScript("ANALYZE")
            try await Pages.run(container, of: database.url, body)
        } catch {
            await container.close()
            throw error
        }
        await container.close()
    }

    private static func fill(_ container: PersistentContainer, _ odd: String) async throws {
        let subjects = ["Rivers", "Bridges", "Gardens", "Winter", "Machines", "Letters"]
        try await container.perform { context in
            let authors = ["Ada Brook", "Ivo Marsh", odd].enumerated().map { number, name in
                let author = context.insert("Author")
                author["name"] = name
                author["born"] = Date(timeIntervalSince1970: -1_000_000_000 + Double(number) * 86_400_000)
                author["email"] = "author\(number)@example.org"
                author["home"] = ["street": number == 2 ? odd : "Mill Lane \(number)", "city": "Ulm"]
                return author
            }
            for number in 0..<120 {
                let book = context.insert(number % 40 == 39 ? "Übersicht" : "Book")
                book["title"] = number == 7 ? odd : "\(subjects[number % 6]), volume \(number / 6 + 1)"
                book["publishedAt"] = Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 90_061)
                book["status"] = ["open", "lent", "open", "lost"][number % 4]
                book["price"] = Decimal(number * 137) / 100
                book["copies"] = number % 5 == 0 ? nil : Int64(number * number)
                guard book.entity.name == "Book" else {
                    book["straße"] = odd
                    continue
                }
                book["isbn"] = UUID(uuidString: "6F1D5C3A-0000-4000-8000-\(100_000_000_000 + number)")
                book["author"] = authors[number % 3]
                book["cover"] = number % 3 == 0 ? cover : nil
                book["abstract"] =
                    number == 8
                    ? String(repeating: odd + " ", count: 400) : "About \(subjects[number % 6])."
            }
            try context.save()
        }
    }

    /// An image of one pixel.
    private static let cover = Data(
        base64Encoded:
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
}
