import Howdah
import HowdahTesting
import TestSupport
import Testing

@Suite struct HookTests {
    @Test func anObjectIsToldOfItsLife() async throws {
        try await withTestStore(Diary.model()) { container in
            try await container.perform { context in
                let diary = Diary(context: context)
                #expect(diary.takeCalls() == ["awakeFromInsert"])
                #expect(diary.title == "untitled")
                try context.save()
                #expect(diary.takeCalls() == ["willSave", "didSave false"])
                context.refresh(diary)
                #expect(diary.takeCalls() == ["willTurnIntoFault false", "didTurnIntoFault true"])
                #expect(diary.title == "untitled")
                #expect(diary.takeCalls() == ["awakeFromFetch untitled"])
                diary.title = "x"
                context.rollback()
                #expect(diary.takeCalls() == ["awakeFromSnapshotEvents 16"])
                #expect(diary.title == "untitled")
                context.delete(diary)
                #expect(diary.takeCalls() == ["prepareForDeletion 0"])
                try context.save()
                #expect(diary.takeCalls() == ["willSave", "didSave false"])
                #expect(diary.isDeleted && diary.title == "untitled")
            }
        }
    }

    /// Objects that a result brings are told once, and those known before are not told again.
    @Test func awakeFromFetchComesOncePerLoadedRow() async throws {
        try await withTestStore(Diary.model()) { container in
            try await container.perform { context in
                for title in ["a", "b", "c"] { Diary(context: context).title = title }
                try context.save()
            }
            try await container.perform { context in
                let first = try #require(
                    context.fetch(Diary.self, matching: .format("title == 'b'")).first)
                #expect(first.takeCalls() == ["awakeFromFetch b"])
                let all = try context.fetch(Diary.self, sortedBy: .key("title"))
                #expect(
                    all.map { $0.takeCalls() } == [["awakeFromFetch a"], [], ["awakeFromFetch c"]])
            }
        }
    }

    /// What a cascade reaches in memory is told too; what it reaches in the database only is not loaded for that.
    @Test func cascadesPrepareLoadedObjects() async throws {
        try await withTestStore(Diary.model()) { container in
            let id = try await container.perform { context in
                let book = Diary(context: context)
                for _ in 0..<2 { Diary(context: context).book = book }
                try context.save()
                return book.objectID
            }
            try await container.perform { context in
                let book = try context.existingObject(with: id)
                let pages = book.pages.objects
                for page in pages { _ = page.takeCalls() }
                context.delete(book)
                #expect(pages.map { $0.isDeleted } == [false, false])
                try context.save()
                #expect(
                    pages.map { $0.takeCalls() }
                        == Array(repeating: ["prepareForDeletion 0", "didSave false"], count: 2))
                #expect(pages.map { $0.isDeleted } == [true, true])
            }
        }
    }

    /// Changes made in didSave are pending after the save.
    @Test func didSaveMayChangeObjects() async throws {
        try await withTestStore(Diary.model()) { container in
            try await container.perform { context in
                let diary = Diary(context: context)
                try context.save()
                #expect(!context.hasChanges)
                diary.title = "later"
                #expect(context.hasChanges)
            }
        }
    }
}
