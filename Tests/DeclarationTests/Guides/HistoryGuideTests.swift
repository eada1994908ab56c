import Foundation
import Howdah
import HowdahTesting
import TestSupport
import Testing

@Entity final class Story: ManagedObject {
    var title: String = ""
}

@Entity final class IndexEntry: ManagedObject {
    var key: String = ""
}

private actor Index {
    var added: [String] = []
    func add(_ id: ObjectID<ManagedObject>) throws { added.append(id.pathComponent) }
    func remove(_ id: ObjectID<ManagedObject>) throws {}
    func replaceAll(with keys: [String]) throws { added = keys }
}

/// The examples of `docs/history.md` and `docs/history-operating.md`, which stand between the marks here, compile.
@Suite(.timeLimit(.minutes(60))) struct HistoryGuideTests {
    private func first(_ container: PersistentContainer, _ index: Index) async throws {
        // snippet
        let consumer = try await container.historyConsumer("search")
        for try await batch in consumer.changes(of: [Story.self]) {
            for change in batch.transactions.flatMap(\.changes) {
                switch change.changeType {
                case .insert, .update: try await index.add(change.changedObjectID)
                case .delete: try await index.remove(change.changedObjectID)
                }
            }
            try await consumer.acknowledge(batch)
        }
        // end
    }

    private func second(_ container: PersistentContainer) async throws {
        // snippet
        let (token, titles) = try await container.perform(isolation: .repeatableRead) { context in
            let token = try context.currentHistoryToken()
            return (token, try context.fetch(FetchRequest<Story>()).map(\.title))
        }
        let history = try await container.perform { context in
            try context.execute(
                HistoryRequest.fetch(after: token, where: HistoryFilter(author: .not("importer"))))
        }
        for transaction in history.transactions {
            print(transaction.timestamp, transaction.author ?? "-", transaction.changes.count, titles.count)
        }
        // end
    }

    private func third(_ container: PersistentContainer) async throws {
        // snippet
        let counter = try await container.historyConsumer("counter")
        for try await batch in counter.changes(of: [Story.self]) {
            try await container.perform(isolation: .readCommitted) { context in
                for change in batch.transactions.flatMap(\.changes) where change.changeType == .insert {
                    IndexEntry(context: context).key = change.changedObjectID.pathComponent
                }
                try context.save()
                try context.acknowledge(batch)
            }
        }
        // end
    }

    private func fourth(_ container: PersistentContainer) async throws {
        // snippet
        let id = try await container.perform { context in
            let story = try context.fetch(FetchRequest<Story>())[0]
            context.delete(story)
            try context.save()
            return story.objectID
        }
        try await container.eraseTombstones(of: [id])
        // end
    }

    private func fifth(_ container: PersistentContainer, _ index: Index) async throws -> HistoryConsumer {
        // snippet
        let (token, keys) = try await container.perform(isolation: .repeatableRead) { context in
            let token = try context.currentHistoryToken()
            return (token, try context.fetch(FetchRequest<Story>()).map(\.objectID.pathComponent))
        }
        try await index.replaceAll(with: keys)
        let consumer = try await container.historyConsumer("search", after: token)
        // end
        return consumer
    }

    private func sixth(_ container: PersistentContainer) async throws -> [String] {
        var behind: [String] = []
        // snippet
        let status = try await container.historyStatus()
        for consumer in status.consumers where consumer.isBehind && consumer.lag > .seconds(60) {
            behind.append(consumer.name)
        }
        // end
        return behind
    }

    /// The loop reads only the class that it does not write: its own changes would be its next batch.
    ///
    /// Control: without `of:` the consumer would get its own entries.
    @Test func theCounterEnds() async throws {
        var options = StoreOptions()
        options.history = .enabled
        let model = try ManagedObjectModel(Story.self, IndexEntry.self)
        try await withTemporaryStore(model, options: options) { container in
            _ = try await container.historyConsumer("counter")
            let token = try await container.currentHistoryToken()
            let loop = Task { try await third(container) }
            for title in ["Ada", "Grace"] {
                try await container.perform { context in
                    Story(context: context).title = title
                    try context.save()
                }
            }
            while try await container.perform({ try $0.count(for: FetchRequest<IndexEntry>()) }) < 2 {
                try await Task.sleep(for: .milliseconds(5))
            }
            let keys = try await container.perform { try $0.fetch(FetchRequest<IndexEntry>()).map(\.key) }
            #expect(keys.allSatisfy { $0.hasPrefix("Story") }, "\(keys)")
            let all = try await container.perform { try $0.execute(HistoryRequest.fetch(after: token)) }
            let names = all.transactions.flatMap(\.changes).map(\.changedObjectID.entityName)
            #expect(names.filter { $0 == "IndexEntry" }.count == 2, "control: they are in the history")
            #expect(try await sixth(container) == [])
            loop.cancel()
            _ = await loop.result
        }
    }

    @Test func aStoreWithoutHistoryRefusesThem() async throws {
        try await withTemporaryStore(ManagedObjectModel(Story.self, IndexEntry.self)) { container in
            let examples: [() async throws -> Void] = [
                { try await first(container, Index()) }, { try await second(container) },
                { _ = try await fifth(container, Index()) }, { _ = try await sixth(container) },
            ]
            for example in examples {
                await #expect { try await example() } throws: { ($0 as? HistoryError)?.code == .noHistory }
            }
        }
    }

    @Test func theGuideHasTheseExamples() throws {
        let guide = try ["history", "history-operating"].map { name in
            try String(contentsOf: Repository.root.appending(path: "docs/\(name).md"), encoding: .utf8)
        }.joined()
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begins = lines.indices.filter { lines[$0].hasSuffix("        // snippet") }
        #expect(begins.count == 6)
        for begin in begins {
            let end = try #require(lines[begin...].firstIndex { $0.hasSuffix(" // end") })
            let example = lines[(begin + 1)..<end].map { $0.dropFirst(8) }.joined(separator: "\n")
            #expect(guide.contains("```swift\n" + example + "\n```"), "\(example)")
        }
    }
}
