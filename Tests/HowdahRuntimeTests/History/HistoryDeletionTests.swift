import Foundation
import HowdahModel
import HowdahSchema
import PQClient
import Testing

@testable import HowdahRuntime

/// History is deleted up to a token, a transaction or a date, and values of persons from it.
struct HistoryDeletionTests {
    @Test(arguments: [false, true])
    func historyBeforeATokenIsDeleted(physically: Bool) async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let old = try await store.container.currentHistoryToken()
            try writer.write([1])
            let token = try await store.container.currentHistoryToken()
            try writer.write([2])
            try await store.container.deleteHistory(before: token, physically: physically)
            #expect(try await store.keys(after: nil) == [2])
            #expect(try await store.keys(after: token) == [2])
            await #expect { try await store.history(after: old) } throws: {
                ($0 as? HistoryError)?.code == .tokenExpired
            }
            let session = try store.company.session()
            defer { session.close() }
            let rows = try session.query("SELECT count(*) FROM \(HistoryStore.tables.history)").first {
                $0[0].int64
            }
            #expect(rows == (physically ? 1 : 2))
        }
    }

    /// Dates that no server has, and tokens of a server that has lost its log.
    @Test func placesOutsideOfTheHistoryAreRefused() async throws {
        try await HistoryStore.with { store in
            let token = try await store.container.currentHistoryToken()
            let future = HistoryToken(
                store: token.store, incarnation: token.incarnation, era: token.era,
                snapshot: try #require(StoreSnapshot(xmax: 1 << 40 | 5)))
            await #expect { try await store.container.deleteHistory(before: future) } throws: {
                ($0 as? HistoryError)?.code == .tokenExpired
            }
            for date in [Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: 1e300)] {
                await #expect { try await store.container.deleteHistory(before: date) } throws: {
                    ($0 as? HistoryError)?.code == .invalidRequest
                }
                await #expect {
                    _ = try await store.container.perform {
                        try $0.execute(HistoryRequest.fetch(after: date))
                    }
                } throws: {
                    ($0 as? HistoryError)?.code == .invalidRequest
                }
            }
        }
    }

    @Test func historyBeforeATransactionOrADateIsDeleted() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            for key in 1...4 { try writer.write([Int64(key)]) }
            let all = try await store.history(after: nil).transactions
            try await store.container.deleteHistory(before: all[1])
            #expect(try await store.keys(after: nil) == [2, 3, 4])
            try await store.container.deleteHistory(before: all[2].token)
            #expect(try await store.keys(after: nil) == [4])
            try await Task.sleep(for: .milliseconds(20))
            let date = Date.now
            try await Task.sleep(for: .milliseconds(20))
            try writer.write([5])
            // A transaction that is open over the date is kept.
            let slow = try store.writer()
            try slow.session.begin()
            try slow.write([6])
            try await store.container.deleteHistory(before: date)
            #expect(try await store.keys(after: nil) == [5])
            try slow.session.commit()
            #expect(try await Set(store.keys(after: nil)) == [5, 6])
        }
    }

    /// After erasing, a person's value is in no table of the history, and consumers still get the deletion.
    @Test func valuesOfAPersonAreErased() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let consumer = try await store.container.historyConsumer("mailer")
            try writer.write(
                [7, 8], kind: 2, properties: nil,
                tombstones: #"[{"firstName": "Ada secret"}, {"firstName": "Bob"}]"#)
            try writer.write(
                [7], kind: 2, entity: "Department", properties: nil, tombstones: #"[{"name": "kept"}]"#)
            #expect(try await store.container.eraseTombstones(of: [store.id(7)]) == 1)
            var loop = consumer.changes().makeAsyncIterator()
            let changes = try #require(try await loop.next()).transactions.flatMap(\.changes)
            #expect(changes.map(\.changedObjectID) == [store.id(7), store.id(8), store.id(7, "Department")])
            #expect(changes.map { $0.tombstone?.values.first } == [nil, .string("Bob"), .string("kept")])
            let session = try store.company.session()
            defer { session.close() }
            let tables = try session.query(
                "SELECT c.oid::regclass::text FROM pg_class c WHERE relname LIKE '\\_howdah%' AND relkind IN ('r', 'p')"
            ).map { $0[0].string() }
            #expect(tables.count > 10)
            for table in tables {
                let found = try session.query(
                    "SELECT count(*) FROM \(table) t WHERE t::text LIKE '%secret%'", cached: false)
                #expect(found.first { $0[0].int64 } == 0, "\(table)")
            }
            await #expect(throws: FetchError.self) {
                try await store.container.eraseTombstones(
                    of: [ObjectID<ManagedObject>(storeIdentifier: UUID(), entityName: "Employee", key: 1)])
            }
        }
    }

    @Test func theKeeperWritesHeartbeatsAndPurges() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            try writer.write([1], slot: 3)
            try store.execute(
                "UPDATE \(HistoryStore.tables.state) SET retention = '0 s', heartbeat_at = now() - interval '1 h'"
            )
            let keeper = HistoryKeeper(store.container.store, pause: .milliseconds(20), upkeep: .zero)
            keeper.start()
            let session = try store.company.session()
            defer { session.close() }
            let end = ContinuousClock.now + .seconds(300)
            var isDone = false
            while !isDone, .now < end {
                try await Task.sleep(for: .milliseconds(20))
                isDone =
                    try session.query(
                        """
                        SELECT heartbeat_at > now() - interval '1 min' AND NOT EXISTS (SELECT FROM \(HistoryStore.tables.history))
                        FROM \(HistoryStore.tables.state)
                        """
                    ).first { $0[0].bool } ?? false
            }
            #expect(isDone)
            await keeper.stop()
        }
    }

    /// A clock that goes back must not end the heartbeats.
    @Test func heartbeatsOfTheFutureAreReplaced() async throws {
        try await HistoryStore.with { store in
            try store.execute(
                "UPDATE \(HistoryStore.tables.state) SET heartbeat_at = now() + interval '10 min'")
            let (isFirst, isSecond) = try await store.container.perform { context in
                try context.withConnection { connection in
                    let keeping = HistoryKeeping(context.store)
                    return (try keeping.beat(on: connection), try keeping.beat(on: connection))
                }
            }
            #expect(isFirst && !isSecond)
        }
    }
}
