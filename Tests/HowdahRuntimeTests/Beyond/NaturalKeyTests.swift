import DeclaredModels
import Foundation
import Howdah
import HowdahTesting
import Testing

/// Objects found by what makes them unique to people.
@Suite(.timeLimit(.minutes(10))) struct NaturalKeyTests {
    @Test func storedAndUnsavedObjectsAreFound() async throws {
        try await withTemporaryStore(DeclaredStaff.ledger()) { container in
            try await container.perform { context in
                let book = Book(context: context)
                (book.title, book.year) = ("e\u{301}", 2026)
                #expect(try context.object(Book.self, naturalKey: "é", 2026) === book)
                try context.save()
                context.reset()
                container.statementLog.start()
                let found = try #require(try context.object(Book.self, naturalKey: "é", 2026))
                #expect(container.statementLog.count == 1)
                #expect(try context.object(Book.self, naturalKey: "é", 2027) == nil)
                #expect(try context.object("Ledger", naturalKey: "é", 2026) === found)
                found.year = 2027
                #expect(try context.object(Book.self, naturalKey: "é", 2026) == nil)
                #expect(try context.object(Book.self, naturalKey: "é", 2027) === found)
                context.delete(found)
                #expect(try context.object(Book.self, naturalKey: "é", 2027) == nil)
            }
        }
    }

    @Test func wrongKeysAreRefusedInWords() async throws {
        try await withTemporaryStore(DeclaredStaff.ledger()) { container in
            try await container.perform { context in
                for ask: () throws -> ManagedObject? in [
                    { try context.object(Book.self, naturalKey: "a") },
                    { try context.object(Book.self, naturalKey: 2026, "a") },
                    { try context.object(Book.self, naturalKey: "a", 70_000) },
                    { try context.object(Entry.self, naturalKey: "a") },
                ] {
                    let error = #expect(throws: FetchError.self) { _ = try ask() }
                    #expect(error?.code == .invalidRequest)
                }
            }
        }
    }

    @Test func subclassesInheritIt() async throws {
        let base = EntityDescription(
            "Base", properties: [.attribute("code", .string, optional: false), .attribute("alias", .string)],
            uniquenessConstraints: [["alias"], ["code"]])
        let sub = EntityDescription("Sub", superentity: "Base", properties: [.attribute("x", .string)])
        let other = EntityDescription("Other", superentity: "Base", properties: [.attribute("y", .string)])
        try await withTemporaryStore(ManagedObjectModel(entities: [base, sub, other])) { container in
            try await container.perform { context in
                context.insert("Sub").setValue("DE", forKey: "code")
                try context.save()
                context.reset()
                let found = try context.object("Sub", naturalKey: "DE")
                #expect(found != nil)
                #expect(try context.object("Base", naturalKey: "DE") === found)
                #expect(try context.object("Other", naturalKey: "DE") == nil)
            }
        }
    }
}
