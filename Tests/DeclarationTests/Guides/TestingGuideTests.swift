import Foundation
import Howdah
import HowdahTesting
import HowdahTestingTraits
import TestSupport
import Testing

/// The example of `docs/testing.md`, compiled and run.
enum TestingGuide {
    // snippet
    @Entity final class Author: ManagedObject {
        var name: String
        @Relationship(inverse: "author") var books: ToMany<Book>
    }

    @Entity final class Book: ManagedObject {
        var title: String
        @Relationship(inverse: "books") var author: Author?
    }

    @Suite struct LibraryTests {
        @Test func authorsOfAllBooksNeedTwoStatements() async throws {
            try await withTemporaryStore(ManagedObjectModel(Author.self, Book.self)) { container in
                try await container.perform { context in
                    for number in 1...3 {
                        let author = Author(context: context)
                        author.name = "Author \(number)"
                        for title in ["One", "Two", "Three"] {
                            let book = Book(context: context)
                            book.title = title
                            book.author = author
                        }
                    }
                    try context.save()
                }
                #expect(container.statementLog.count == 4)  // 3 for the authors, 1 for 9 books

                let names = try await expectStatements(2, on: container) {
                    try await container.perform { context in
                        try context.fetch(Book.self).compactMap { $0.author?.name }
                    }
                }
                #expect(names.count == 9)
            }
        }
    }
    // end

    // traits
    @Suite(.store(try ManagedObjectModel(Author.self, Book.self))) struct ShelfTests {
        @Test func aNewStoreIsEmpty() async throws {
            let count = try await TestStore.container.perform { try $0.count(Book.self) }
            #expect(count == 0)
        }

        @Test(
            .store(
                try ManagedObjectModel(Author.self, Book.self), sample: .perEntity(20), statements: 2))
        func theListNeedsTwoStatements() async throws {
            let names = try await TestStore.container.perform { context in
                try context.fetch(Book.self).compactMap { $0.author?.name }
            }
            #expect(!names.isEmpty)
        }
    }
    // end of traits

    @Suite struct ConflictTests {
        @Test func theSlowRequestGetsTheConflict() async throws {
            try await withTemporaryStore(ManagedObjectModel(Author.self, Book.self)) { container in
                let id = try await container.perform { context in
                    let book = Book(context: context)
                    book.title = "new"
                    try context.save()
                    return book.objectID
                }
                try await Self.conflict(over: id, container)
            }
        }

        static func conflict(over id: ObjectID<Book>, _ container: PersistentContainer) async throws {
            // conflict
            let slow = container.newBackgroundContext()
            try await slow.perform { context in try context.existingObject(with: id).title = "slow" }
            try await container.perform { context in
                try context.existingObject(with: id).title = "fast"
                try context.save()
            }
            let error = await #expect(throws: SaveError.self) {
                try await slow.perform { context in try context.save() }
            }
            #expect(error?.code == .conflict && error?.conflicts.first?.properties == ["title"])
            // end of conflict
        }
    }

    // failover
    @Suite struct FailoverTests {
        @Test func savedAuthorsAreOnTheReplica() async throws {
            let model = try ManagedObjectModel(Author.self, Book.self)
            try await withTemporaryReplica(model) { store in
                let container = try await PersistentContainer.open(store.url, model: model)
                try await container.perform { context in
                    Author(context: context).name = "Ada"
                    try context.save()
                }
                try await store.replica.catchUp(with: store.primary)
                await store.primary.crash()
                try await store.replica.promote()
                let names = try await container.perform { context in
                    try context.fetch(Author.self).map(\.name)
                }
                #expect(names == ["Ada"])
                await container.close()
            }
        }
    }
    // end of failover
}

@Suite struct TestingGuideTests {
    @Test(arguments: [
        ("snippet", "end"), ("conflict", "end of conflict"), ("traits", "end of traits"),
        ("failover", "end of failover"),
    ])
    func theGuideHasThisExample(_ first: String, _ last: String) throws {
        let guide = try String(
            contentsOf: Repository.root.appending(path: "docs/testing.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begin = try #require(lines.firstIndex { $0.hasSuffix("    // \(first)") })
        let end = try #require(lines.firstIndex { $0.hasSuffix("    // \(last)") })
        let indentation = lines[begin].prefix { $0 == " " }.count
        let example = lines[(begin + 1)..<end].map { $0.dropFirst(indentation) }.joined(separator: "\n")
        #expect(guide.contains(example + "\n```"))
    }
}
