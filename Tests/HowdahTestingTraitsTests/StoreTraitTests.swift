import Howdah
import HowdahTesting
import HowdahTestingTraits
import Testing

@Entity final class Shelf: ManagedObject {
    @Attribute(.unique) var name: String
    @Relationship(inverse: "shelf") var books: ToMany<Book>
}

@Entity final class Book: ManagedObject {
    var title: String
    @Relationship(inverse: "books") var shelf: Shelf?
}

private func library() throws -> ManagedObjectModel { try ManagedObjectModel(Shelf.self, Book.self) }

@Suite(.store(try library())) struct StoreTraitTests {
    @Test func eachTestHasAnEmptyStore() async throws {
        let container = try TestStore.container
        #expect(container.statementLog.count == 0)
        try await container.perform { context in
            #expect(try context.count(Shelf.self) == 0)
            Shelf(context: context).name = "A"
            try context.save()
        }
        #expect(container.statementLog.count == 2)
    }

    /// Each case would find the row of another one, and break the rule that names are unique.
    @Test(arguments: 1...3) func eachCaseHasAStoreOfItsOwn(_ number: Int) async throws {
        try await TestStore.container.perform { context in
            #expect(try context.count(Shelf.self) == 0)
            Shelf(context: context).name = "A"
            try context.save()
        }
    }

    @Test(.store(try library(), sample: .perEntity(7), statements: 1))
    func theTraitOfATestReplacesThatOfItsSuite() async throws {
        let count = try await TestStore.container.perform { try $0.count(Book.self) }
        #expect(count == 7)
    }

    @Test(
        .store(
            try library(),
            sample: .objects { context in
                let shelf = Shelf(context: context)
                shelf.name = "A"
                for number in 0..<3 {
                    let book = Book(context: context)
                    book.title = "\(number)"
                    book.shelf = shelf
                }
            }, statements: 2))
    func sampleObjectsAreSavedAndNotCounted() async throws {
        let titles = try await TestStore.container.perform { context in
            try context.fetch(Shelf.self).flatMap { $0.books.map(\.title) }.sorted()
        }
        #expect(titles == ["0", "1", "2"])
    }

    @Suite struct Inner {
        @Test func suitesInsideHaveTheTraitToo() async throws {
            #expect(try await TestStore.container.perform { try $0.count(Book.self) } == 0)
        }
    }
}

/// A trait that asks for the store of its test.
private struct Asking: TestTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let error = #expect(throws: MissingTestStore.self) { try TestStore.container }
        #expect(try #require(error).description.contains("Put .store(model) before the traits"))
        try await function()
    }
}

@Suite struct WithoutStoreTests {
    @Test(Asking(), .store(try library())) func aTraitBeforeTheStoreIsToldTheOrder() throws {
        _ = try TestStore.container
    }

    @Test func aTestWithoutTheTraitIsToldSo() throws {
        let error = #expect(throws: MissingTestStore.self) { try TestStore.container }
        let text = try #require(error).description
        for part in ["aTestWithoutTheTraitIsToldSo()", "@Test(.store(model))", "@Suite(.store(model))"] {
            #expect(text.contains(part), "\(text)")
        }
    }

    /// A detached task has no test, and is told to take the container before.
    @Test(.store(try library())) func aDetachedTaskIsToldToTakeTheContainerBefore() async throws {
        _ = try TestStore.container
        #expect(try await Task { try TestStore.container.statementLog.count }.value == 0)
        let error = await #expect(throws: MissingTestStore.self) {
            _ = try await Task.detached { try TestStore.container }.value
        }
        #expect(try #require(error).testName == nil)
        #expect(try #require(error).description.contains("before you start a detached task"))
    }

    /// The trait's own scope is run here, so that what it records is a known issue of this test.
    @Test func anotherNumberOfStatementsFailsTheTest() async throws {
        let trait = StoreTrait.store(try library(), statements: 2)
        let test = try #require(Test.current)
        let testCase = Test.Case.current
        try await withKnownIssue {
            try await trait.provideScope(for: test, testCase: testCase) {
                _ = try await TestStore.container.perform { try $0.count(Book.self) }
            }
        } matching: { issue in
            guard let error = issue.error as? UnexpectedStatements else { return false }
            return error.expected == 2 && error.statements.count == 1
                && error.statements[0].hasPrefix("1 rows: SELECT pg_catalog.count(*)")
        }
        // As many as were expected record nothing.
        try await StoreTrait.store(try library(), statements: 1).provideScope(for: test, testCase: testCase) {
            _ = try await TestStore.container.perform { try $0.count(Book.self) }
        }
    }

    @Test func wrongNumbersAreErrors() async throws {
        let test = try #require(Test.current)
        let traits: [(StoreTrait, String)] = [
            (
                .store(try library(), statements: -1),
                "Statements of the trait .store(model) is -1. Set it to 0 or more."
            ),
            (
                .store(try library(), sample: .perEntity(-3)),
                "The count of perEntity(_:seed:) of the trait .store(model) is -3. Set it to 0 or more."
            ),
        ]
        for (trait, text) in traits {
            let error = await #expect(throws: (any Error).self) {
                try await trait.provideScope(for: test, testCase: Test.Case.current) {}
            }
            #expect(error.map { "\($0)" } == text)
        }
    }
}
