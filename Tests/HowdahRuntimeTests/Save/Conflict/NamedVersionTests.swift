import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Saves that compare versions which the program named.
@Suite(.timeLimit(.minutes(60))) struct NamedVersionTests {
    private static let first = ObjectVersion(row: 1)
    private static let second = ObjectVersion(row: 2)

    private static func with(
        _ body: (PersistentContainer, PlainSQL, ObjectID<NamedPage>) async throws -> Void
    ) async throws {
        let model = try ManagedObjectModel(NamedPage.self)
        try await withTestDatabase(for: model) { database in
            let container = try await PersistentContainer.open(database.url, model: model)
            let id = try await container.perform { context in
                let page = NamedPage(context: context)
                page.text = "base"
                try context.save()
                return page.objectID
            }
            try await body(container, PlainSQL(url: TestPooler.direct(database.url)), id)
            await container.close()
        }
    }

    private static func update(_ sql: PlainSQL, _ text: String = "other") throws {
        try sql.rows("UPDATE named_page SET text = '\(text)', _version = _version + 1")
    }

    @Test(
        "A save compares a version that a hook names", arguments: ["willSave", "validateForUpdate"], [0, 1])
    func saveComparesVersionsNamedInHooks(hook: String, levels: Int) async throws {
        try await Self.with { container, sql, id in
            try Self.update(sql)
            try await container.perform { root in
                let context = levels == 0 ? root : root.newChildContext()
                let page = try context.existingObject(with: id)
                page.text = "mine"
                context.userInfo["hook"] = PageHook(hook) {
                    _ = try? context.existingObject(with: id, version: Self.first)
                }
                for _ in 1...2 {
                    let error = #expect(throws: SaveError.self) { try context.save() }
                    #expect(error?.code == .conflict && error?.conflicts.first?.isOfNamedVersion == true)
                }
                context.userInfo["hook"] = nil
                #expect(throws: SaveError.self, "the version stays named") { try context.save() }
                _ = try context.existingObject(with: id, version: Self.second)
                try context.save()
                root.rollback()
            }
        }
    }

    @Test("A version that is named after a save has stored its object is compared by the next one")
    func saveKeepsLaterVersions() async throws {
        try await Self.with { container, _, id in
            try await container.perform { context in
                let page = try context.existingObject(with: id, version: Self.first)
                page.text = "mine"
                try context.save()
                #expect(context.changes.named.isEmpty)
                _ = try context.existingObject(with: id, version: Self.first)
                try context.save()
                try context.save()
                #expect(context.changes.guarded.count == 1, "a save that stores nothing keeps it")
                page.text = "again"
                #expect(throws: SaveError.self) { try context.save() }
                context.rollback()
                #expect(context.changes.guarded.isEmpty && context.changes.named.isEmpty)
            }
        }
    }

    @Test("A conflict reports the stored row if the context has an older one")
    func conflictReportsTheStoredRow() async throws {
        try await Self.with { container, sql, id in
            try await container.perform { context in
                let page = try context.existingObject(with: id)
                try Self.update(sql)
                // Without changes, the row is read again.
                _ = try context.existingObject(with: id, version: Self.second)
                #expect(page.text == "other")
                page.text = "mine"
                try context.save()
                try Self.update(sql, "third")
                page.text = "again"
                _ = try context.existingObject(with: id, version: ObjectVersion(row: 4))
                var error = #expect(throws: SaveError.self) { try context.save() }
                var conflict = try #require(error?.conflicts.first)
                #expect(!conflict.isOfNamedVersion && conflict.version == ObjectVersion(row: 4))
                #expect(conflict.values["text"]?.stored as? String == "third")
                _ = try context.existingObject(with: id, version: Self.first)
                error = #expect(throws: SaveError.self) { try context.save() }
                conflict = try #require(error?.conflicts.first)
                #expect(conflict.isOfNamedVersion && conflict.version == ObjectVersion(row: 4))
                #expect(conflict.values["text"]?.stored as? String == "third")
                #expect(conflict.values["text"]?.base as? String == "third")
                #expect(conflict.values["text"]?.local as? String == "again")
                try sql.rows("DELETE FROM named_page")
                error = #expect(throws: SaveError.self) { try context.save() }
                #expect(error?.conflicts.first?.isDeleted == true)
                context.rollback()
            }
        }
    }

    @Test("After a rollback the next save compares a stale version that was named last")
    func rollbackKeepsAStaleVersion() async throws {
        struct End: Error {}
        for isStale in [false, true] {
            try await Self.with { container, _, id in
                let background = container.newBackgroundContext()
                _ = try? await background.perform(isolation: .readCommitted) { context in
                    let page = try context.existingObject(with: id, version: Self.first)
                    for text in ["one", "two"] {
                        page.text = text
                        try context.save()
                    }
                    // The row has the version 3 in the transaction.
                    _ = try context.existingObject(
                        with: id, version: isStale ? Self.second : ObjectVersion(row: 3))
                    throw End()
                }
                try await background.perform { context in
                    #expect(context.hasChanges)
                    if isStale {
                        #expect(throws: SaveError.self) { try context.save() }
                        context.rollback()
                    } else {
                        try context.save()
                    }
                }
            }
        }
    }

    @Test("A unit of work is not retried after a conflict with a version that the program named")
    func staleVersionsAreNotRetried() async throws {
        try await Self.with { container, sql, id in
            try Self.update(sql)
            let runs = Shared(0)
            await #expect(throws: SaveError.self) {
                try await container.perform(retrying: .conflicts(upTo: 4)) { context in
                    runs.withLock { $0 += 1 }
                    try context.existingObject(with: id, version: Self.first).text = "mine"
                    try context.save()
                }
            }
            #expect(runs.value == 1)
        }
    }

    @Test("A save with many named versions takes time in proportion to their number")
    func manyVersionsAreCompared() async throws {
        try await Self.with { container, _, _ in
            let ids = try await container.insert(
                into: NamedPage.self, result: .objectIDs, from: (0..<4_000).map { ["number": $0] }
            ).objectIDs
            try await container.perform { context in
                let pages = try context.fetch(NamedPage.self, matching: .format("SELF IN %@", ids))
                func duration(_ count: Int) throws -> Duration {
                    // The thread's time, since the machine may be busy in one of the two.
                    try ThreadClock.measure {
                        for page in pages.prefix(count) {
                            _ = try context.existingObject(
                                with: page.objectID, version: #require(page.version))
                            page.number += 1
                        }
                        try context.save()
                    }
                }
                let (few, many) = (try duration(500), try duration(4_000))
                #expect(many < few * 24, "\(few), \(many)")
            }
        }
    }
}

/// A closure that a hook of a page runs, each time.
private final class PageHook {
    let name: String
    let run: () -> Void

    init(_ name: String, _ run: @escaping () -> Void) {
        self.name = name
        self.run = run
    }
}

@Entity private final class NamedPage: ManagedObject {
    var text: String = ""
    var number: Int = 0

    override func willSave() {
        super.willSave()
        runHook("willSave")
    }

    override func validateForUpdate() throws {
        runHook("validateForUpdate")
        try super.validateForUpdate()
    }

    private func runHook(_ name: String) {
        guard let hook = managedObjectContext?.userInfo["hook"] as? PageHook, hook.name == name else {
            return
        }
        hook.run()
    }
}
