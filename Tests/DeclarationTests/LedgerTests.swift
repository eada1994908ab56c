import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import Testing

/// Declared classes on a real database: initial values, setters that others do not see, inheritance.
@Suite struct LedgerTests {
    @Test func valuesComeBack() async throws {
        try await withTemporaryStore(DeclaredStaff.ledger()) { container in
            let tokens = try await container.perform { context in
                let book = Book(context: context)
                (book.title, book.year) = ("Sales", 2026)
                #expect(book.isOpen)
                book.isOpen = false
                book.homepage = URL(string: "https://example.org/sales")
                book.seal = Data([1, 2, 3])
                let entry = Entry(context: context)
                entry.fill(amount: 3, note: "first", book: book)
                let correction = Correction(context: context)
                correction.fill(amount: -3, note: nil, book: book)
                correction.value = 2.5
                try context.save()
                #expect(book.size == 2 && book.titleKey == "sales")
                return [entry.token, correction.token]
            }
            try await container.perform { context in
                let entries = try context.fetch(Entry.self, sortedBy: .descending(\.amount))
                #expect(entries.map(\.amount) == [3, -3])
                #expect(entries.map(\.note) == ["first", nil])
                #expect(entries.map(\.token) == tokens)
                #expect(entries.map(\.value) == [-1.5, 2.5])
                #expect(entries.map(\.default) == [true, true])
                #expect(
                    entries.map(\.bookedAt) == Array(repeating: Date(timeIntervalSince1970: 1_000), count: 2))
                #expect((entries.last as? Correction)?.reason == "typing \"error\"")
                let book = try #require(entries.first?.book)
                #expect(book.title == "Sales" && book.year == 2026 && book.seal == Data([1, 2, 3]))
                #expect(book.homepage?.absoluteString == "https://example.org/sales")
                #expect(book.entries.count == 2)
                #expect(book.size == 2 && book.titleKey == "sales")
                #expect(
                    try context.fetch(
                        Book.self, where: #Predicate { $0.titleKey == "sales" }, sortedBy: .ascending(\.size))
                        == [book])
                #expect(book.isOpen, "a transient value is not stored, and begins with its default again")
            }
        }
    }

    @Test func eachObjectGetsAValueOfItsOwn() async throws {
        try await withTemporaryStore(DeclaredStaff.ledger()) { container in
            let tokens = try await container.perform { context in
                (0..<5).map { _ in Correction(context: context).token }
                    + [(context.insert("Entry") as? Entry)?.token]
            }
            #expect(Set(tokens).count == 6)
            let attribute = try DeclaredStaff.ledger()["Entry"]?.properties.first { $0.name == "token" }?
                .attribute
            #expect(attribute?.defaultValue == nil)
        }
    }

    @Test func aValueThatWasNeverSetIsReported() async throws {
        try await withTemporaryStore(DeclaredStaff.ledger()) { container in
            try await container.perform { context in
                let entry = Entry(context: context)
                #expect(entry.amount == 0)
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.issues.map(\.propertyName) == ["amount"])
                context.rollback()
            }
        }
    }

    @Test func aPathWithoutItsSetterIsKnownToo() async throws {
        try await withTemporaryStore(DeclaredStaff.ledger()) { container in
            try await container.perform { context in
                let book = Book(context: context)
                (book.title, book.year) = ("B", 2000)
                for amount in [2, 1, 3] {
                    let entry = Correction(context: context)
                    entry.fill(amount: amount, note: "n\(amount)", book: book)
                }
                try context.save()
            }
            let found = try await container.perform { context in
                try context.fetch(
                    Correction.self, where: #Predicate { $0.amount > 1 && $0.book?.title == "B" },
                    sortedBy: .descending(\.book, \.title), .descending(\.note)
                ).map(\.amount)
            }
            #expect(found == [3, 2])
        }
    }

    @Test func optionsReachTheModel() throws {
        let model = try DeclaredStaff.ledger()
        let ledger = try #require(model["Ledger"])
        #expect(ledger.userInfo == [MappingKey.table: "ledgers"])
        #expect(ledger.uniquenessConstraints == [["title", "year"]])
        #expect(
            ledger.properties.map(\.name) == [
                "title", "year", "isOpen", "homepage", "seal", "entries", "size", "titleKey",
            ])
        #expect(ledger.properties[6].attribute?.derivationExpression == "entries.@count")
        let title = try #require(ledger.properties[0].attribute)
        #expect(title.userInfo == [MappingKey.column: "book_title"])
        #expect(title.minimumLength == 1 && title.maximumLength == 80)
        #expect(ledger.properties[1].attribute?.minimum == .int(1900))
        #expect(ledger.properties[2].attribute?.isTransient == true)
        #expect(model["Correction"]?.superentity == "Entry")
        #expect(model["Entry"]?.properties.last?.relationship?.destination == "Ledger")
    }
}
