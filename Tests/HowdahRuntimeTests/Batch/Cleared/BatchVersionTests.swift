import Howdah
import HowdahTesting
import TestSupport
import Testing

/// The versions of rows that lose their destination by a batch deletion.
@Suite(.timeLimit(.minutes(60))) struct BatchVersionTests {
    /// Opens a store with pages, and returns the ids by name.
    private static func with(
        history: Bool = false,
        _ body: (PersistentContainer, [String: ObjectID<VersionPage>]) async throws -> Void
    ) async throws {
        var options = StoreOptions()
        options.history = history ? .enabled : .asStored
        let model = try ManagedObjectModel(
            VersionLibrary.self, VersionAuthor.self, VersionPage.self, VersionCover.self)
        try await withTestStore(model, options: options) { container in
            let ids = try await container.perform { context in
                let library = VersionLibrary(context: context)
                let authors = ["A", "B", "E"].map { name in
                    let author = VersionAuthor(context: context)
                    author.name = name
                    author.library = library
                    return author
                }
                let pages = ["both", "one", "other", "editor", "top", "below", "cover"].map { name in
                    let page =
                        name == "cover" ? VersionCover(context: context) : VersionPage(context: context)
                    page.name = name
                    return page
                }
                (pages[0].author, pages[0].reviewer) = (authors[0], authors[0])
                (pages[1].author, pages[1].reviewer) = (authors[0], authors[1])
                pages[2].author = authors[1]
                pages[3].editor = authors[2]
                pages[5].above = pages[4]
                pages[6].author = authors[0]
                try context.save()
                return Dictionary(uniqueKeysWithValues: pages.map { ($0.name, $0.objectID) })
            }
            try await body(container, ids)
        }
    }

    private static func versions(_ container: PersistentContainer) async throws -> [String: String] {
        try await container.perform { context in
            Dictionary(
                uniqueKeysWithValues: try context.fetch(VersionPage.self).map {
                    ($0.name, $0.version?.description ?? "")
                })
        }
    }

    @Test(
        "A batch deletion moves the versions of rows that lose their destination", arguments: [false, true])
    func deletionMovesVersions(history: Bool) async throws {
        try await Self.with(history: history) { container, ids in
            let context = container.newBackgroundContext()
            try await context.perform { context in
                context.automaticallyMergesChangesFromParent = true
                let page = try context.existingObject(with: #require(ids["cover"]))
                #expect(page.author?.name == "A")
            }
            try await container.perform { context in
                container.statementLog.start()
                let result = try context.execute(
                    BatchDeleteRequest(
                        VersionAuthor.self, matching: .format("name == 'A'"), result: .objectIDs))
                #expect(result.count == 1 && result.objectIDs.count == 1)
                if !history { #expect(container.statementLog.count == 4) }
                container.statementLog.stop()
            }
            #expect(
                try await Self.versions(container) == [
                    "both": "r2", "one": "r2", "other": "r1", "editor": "r1", "top": "r1", "below": "r1",
                    "cover": "r2",
                ])
            try await container.perform { context in
                let both = try context.existingObject(with: #require(ids["both"]))
                let one = try context.existingObject(with: #require(ids["one"]))
                #expect(both.author == nil && both.reviewer == nil)
                #expect(one.author == nil && one.reviewer?.name == "B")
            }
            // A context that follows has the new version, and a client with the former one does not write.
            try await context.perform { context in
                let page = try context.existingObject(with: #require(ids["cover"]))
                #expect(page.author == nil && page.version?.description == "r2")
                page.text = "mine"
                try context.save()
            }
            try await container.perform { context in
                let page = try context.existingObject(
                    with: #require(ids["both"]), version: #require(ObjectVersion("r1")))
                page.text = "stale"
                let error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.code == .conflict)
                context.rollback()
            }
        }
    }

    @Test("A batch deletion moves versions in a transaction, of chosen rows, and with a join")
    func deletionMovesVersionsInOtherForms() async throws {
        try await Self.with { container, _ in
            try await container.perform(isolation: .readCommitted) { context in
                var request = FetchRequest<VersionAuthor>()
                request.sortDescriptors = [.descending(\.name)]
                request.fetchLimit = 2
                let result = try context.execute(BatchDeleteRequest(request))
                #expect(result.count == 2)
            }
            // A relationship without an inverse is cleared without a new version.
            let first = try await Self.versions(container)
            #expect(first["one"] == "r2" && first["other"] == "r2" && first["editor"] == "r1")
            #expect(first["both"] == "r1" && first["cover"] == "r1")
            try await container.perform(isolation: .readCommitted) { context in
                let result = try context.execute(
                    BatchDeleteRequest(VersionAuthor.self, matching: .format("library.number == 0")))
                #expect(result.count == 1)
            }
            let second = try await Self.versions(container)
            #expect(second["one"] == "r3" && second["both"] == "r2" && second["cover"] == "r2")
        }
    }

    @Test(
        "A batch deletion moves versions of rows that lose what a cascade deletes", arguments: [false, true])
    func cascadesMoveVersions(history: Bool) async throws {
        try await Self.with(history: history) { container, _ in
            let count = try await container.perform { context in
                try context.execute(BatchDeleteRequest(VersionLibrary.self)).count
            }
            #expect(count == 1)
            let versions = try await Self.versions(container)
            #expect(versions["both"] == "r2" && versions["one"] == "r2" && versions["editor"] == "r1")
            #expect(try await container.perform { try $0.count(VersionAuthor.self) } == 0)
        }
    }

    @Test("A batch deletion of rows that refer to each other deletes all of them")
    func rowsThatReferToEachOther() async throws {
        try await Self.with { container, _ in
            try await container.perform { context in
                try context.execute(BatchDeleteRequest(VersionPage.self, matching: .format("name == 'top'")))
            }
            #expect(try await Self.versions(container)["below"] == "r2")
            try await container.perform { context in
                var above: VersionPage?
                for number in 0..<500 {
                    let page = VersionPage(context: context)
                    (page.name, page.above) = ("chain\(number)", above)
                    above = page
                }
                try context.save()
            }
            let count = try await container.perform { context in
                try context.execute(
                    BatchDeleteRequest(VersionPage.self, matching: .format("name BEGINSWITH 'chain'"))
                ).count
            }
            #expect(count == 500)
            #expect(try await container.perform { try $0.count(VersionPage.self) } == 6)
        }
    }

    @Test("A recursive cascade moves versions once, and leaves no row", arguments: [false, true])
    func recursiveCascade(history: Bool) async throws {
        var options = StoreOptions()
        options.history = history ? .enabled : .asStored
        let model = try ManagedObjectModel(VersionFolder.self, VersionNote.self)
        try await withTestStore(model, options: options) { container in
            try await container.perform { context in
                var outer: VersionFolder?
                for number in 0..<50 {
                    let folder = VersionFolder(context: context)
                    (folder.number, folder.outer) = (number, outer)
                    outer = folder
                    let note = VersionNote(context: context)
                    (note.number, note.folder, note.first) = (number, folder, folder)
                }
                try context.save()
                let count = try context.execute(
                    BatchDeleteRequest(VersionFolder.self, matching: .format("number == 10"))
                ).count
                #expect(count == 1)
            }
            try await container.perform { context in
                #expect(try context.count(VersionFolder.self) == 10)
                for note in try context.fetch(VersionNote.self) {
                    #expect(note.version?.description == (note.number < 10 ? "r1" : "r2"))
                    #expect((note.folder == nil) == (note.number >= 10))
                    #expect((note.first == nil) == (note.number >= 10))
                }
            }
        }
    }
}

@Entity private final class VersionLibrary: ManagedObject {
    var number: Int = 0
    @Relationship(deleteRule: .cascade, inverse: "library") var authors: ToMany<VersionAuthor>
}

@Entity private final class VersionAuthor: ManagedObject {
    var name: String = ""
    @Relationship(inverse: "authors") var library: VersionLibrary?
    @Relationship(deleteRule: .nullify, inverse: "author") var pages: ToMany<VersionPage>
    @Relationship(deleteRule: .nullify, inverse: "reviewer") var reviews: ToMany<VersionPage>
}

@Entity private class VersionPage: ManagedObject {
    var name: String = ""
    var text: String = ""
    @Relationship(inverse: "pages") var author: VersionAuthor?
    @Relationship(inverse: "reviews") var reviewer: VersionAuthor?
    @Relationship(inverse: nil) var editor: VersionAuthor?
    @Relationship(deleteRule: .nullify, inverse: "above") var below: ToMany<VersionPage>
    @Relationship(inverse: "below") var above: VersionPage?
}

@Entity private final class VersionCover: VersionPage {
    var colour: String = ""
}

@Entity private final class VersionFolder: ManagedObject {
    var number: Int = 0
    @Relationship(deleteRule: .cascade, inverse: "outer") var inner: ToMany<VersionFolder>
    @Relationship(inverse: "inner") var outer: VersionFolder?
    @Relationship(deleteRule: .nullify, inverse: "folder") var notes: ToMany<VersionNote>
    @Relationship(deleteRule: .nullify, inverse: "first") var firsts: ToMany<VersionNote>
}

@Entity private final class VersionNote: ManagedObject {
    var number: Int = 0
    @Relationship(inverse: "notes") var folder: VersionFolder?
    @Relationship(inverse: "firsts") var first: VersionFolder?
}
