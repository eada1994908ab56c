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
}

/// The examples of `docs/history.md`, which stand between the marks here, compile.
@Suite(.timeLimit(.minutes(20))) struct HistoryGuideTests {
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
        for try await batch in try await container.historyConsumer("counter").changes() {
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

    @Test func aStoreWithoutHistoryRefusesThem() async throws {
        try await withTemporaryStore(ManagedObjectModel(Story.self, IndexEntry.self)) { container in
            for example in [{ try await first(container, Index()) }, { try await second(container) }] {
                await #expect { try await example() } throws: { ($0 as? HistoryError)?.code == .noHistory }
            }
        }
    }

    @Test func theGuideHasTheseExamples() throws {
        let guide = try String(
            contentsOf: Repository.root.appending(path: "docs/history.md"), encoding: .utf8)
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let begins = lines.indices.filter { lines[$0].hasSuffix("        // snippet") }
        #expect(begins.count == 4)
        for begin in begins {
            let end = try #require(lines[begin...].firstIndex { $0.hasSuffix(" // end") })
            let example = lines[(begin + 1)..<end].map { $0.dropFirst(8) }.joined(separator: "\n")
            #expect(guide.contains("```swift\n" + example + "\n```"), "\(example)")
        }
    }
}
