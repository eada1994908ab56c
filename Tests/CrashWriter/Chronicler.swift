import Foundation
import Howdah
import Logging

/// A process that saves notes, or that follows the history and keeps a ledger of it, to be killed at any
/// moment.
///
/// Each save of a note is one change. The ledger's rows and the acknowledgement are one transaction.
struct Chronicler {
    let url: String
    /// `writer` or the name of a consumer.
    let role: String
    let seed: UInt64
    let count: Int

    static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription("Note", properties: [.attribute("number", .integer64, optional: false)])
            ])
        }
    }

    func run() async throws {
        var options = StoreOptions()
        options.changePolling = .milliseconds(10)
        options.maximumConnections = 2
        options.logger.logLevel = .critical
        let container = try await PersistentContainer.open(url, model: Self.model, options: options)
        container.transactionAuthor = role
        if role == "writer" { try await write(container) } else { try await follow(container) }
        await container.close()
    }

    private func write(_ container: PersistentContainer) async throws {
        var random = SplitMix(state: seed)
        for unit in 0..<count {
            let (first, second, third) = (Int(random.next() % 40), Int(random.next() % 40), random.next() % 3)
            struct Undone: Error {}
            do {
                try await container.perform(
                    isolation: third == 0 ? .readCommitted : nil, retrying: .conflicts(upTo: 50)
                ) { context in
                    let notes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
                        .sorted { ($0.objectID.pathComponent) < ($1.objectID.pathComponent) }
                    for place in third == 0 ? [first, second].sorted() : [first] {
                        let note = notes[place]
                        note["number"] = (note["number"] as? Int64 ?? 0) + 1
                        try context.save()
                    }
                    if third == 0, unit % 10 == 0 { throw Undone() }
                }
            } catch is Undone {
            } catch let error as SaveError where error.code == .conflict || error.code == .deadlock {
            }
        }
        print("done")
    }

    private func follow(_ container: PersistentContainer) async throws {
        while true {
            do {
                let consumer = try await container.historyConsumer(role)
                for try await batch in consumer.changes() {
                    let rows = batch.transactions.flatMap { transaction in
                        transaction.changes.map { change in
                            "{\"id\":\"\(change.changedObjectID.pathComponent)\",\"number\":\(transaction.transactionNumber)}"
                        }
                    }
                    let (json, name) = ("[\(rows.joined(separator: ","))]", role)
                    try await container.perform(isolation: .readCommitted) { context in
                        _ = try context.fetchRows(
                            sql: """
                                INSERT INTO ledger (consumer, id, number)
                                SELECT \(name), r.value->>'id', (r.value->>'number')::bigint
                                FROM jsonb_array_elements(\(json)::jsonb) WITH ORDINALITY r(value, n) ORDER BY r.n
                                """)
                        try context.acknowledge(batch)
                    }
                }
            } catch let error as HistoryError where error.code == .consumerMoved {
                // Another process with the name was first.
            } catch let error as SaveError where error.code == .outcomeUnknown {
                // The store knows.
            }
        }
    }

    /// Numbers for one writer.
    private struct SplitMix {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }
}
