import Foundation
import HowdahModel
import HowdahSchema
import PQClient
import Testing

@testable import HowdahRuntime

/// A consumer whose place can never be served again begins again at a token, and no other one does.
struct HistoryConsumerRecoveryTests {
    private static let tables = HistoryStore.tables

    private static func error(_ body: () async throws -> Void) async -> HistoryError? {
        do {
            try await body()
            return nil
        } catch { return error as? HistoryError }
    }

    private static func stored(_ store: HistoryStore) async throws -> String? {
        try await store.container.perform { context in
            try context.withConnection { try HistoryConsumers(context.store).token(of: "c", on: $0) }
        }
    }

    /// Ends all tokens, as `howdah history reset` does.
    private static func reset(_ store: HistoryStore) throws {
        try store.execute(
            """
            UPDATE \(tables.state) SET "incarnation" = pg_catalog.gen_random_uuid(),
                "deleted" = pg_catalog.pg_current_snapshot()
            """)
    }

    private static func keys(_ batch: HistoryBatch?) -> [Int64] {
        (batch?.transactions ?? []).flatMap { $0.changes.map(\.changedObjectID.key) }
    }

    @Test func anExpiredConsumerBeginsAgainAtAToken() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let consumer = try await store.container.historyConsumer("c")
            let former = try await store.container.currentHistoryToken()
            try Self.reset(store)
            var loop = consumer.changes().makeAsyncIterator()
            let expired = await Self.error { _ = try await loop.next() }
            #expect(expired?.code == .tokenExpired)
            #expect(expired?.message.contains("pass the token to historyConsumer(_:after:)") == true)
            let place = try await Self.stored(store)
            // Without a token nothing changes, so that the gap is not silent.
            _ = try await store.container.historyConsumer("c")
            #expect(try await Self.stored(store) == place)
            // A token that expired too does not remove the consumer.
            let late = await Self.error { _ = try await store.container.historyConsumer("c", after: former) }
            #expect(late?.code == .tokenExpired)
            #expect(try await Self.stored(store) == place)
            let token = try await store.container.currentHistoryToken()
            try writer.write([1])
            let again = try await store.container.historyConsumer("c", after: token)
            var next = again.changes().makeAsyncIterator()
            let batch = try #require(try await next.next())
            #expect(Self.keys(batch) == [1])
            try await again.acknowledge(batch)
            // A place that is served stays.
            _ = try await store.container.historyConsumer("c", after: token)
            #expect(try await Self.stored(store) == batch.token.description)
        }
    }

    /// A place that this version cannot read may be of a later one.
    @Test func anUnreadablePlaceIsNotReplaced() async throws {
        try await HistoryStore.with { store in
            let consumer = try await store.container.historyConsumer("c")
            try store.execute("UPDATE \(Self.tables.consumer) SET token = 'later'")
            let token = try await store.container.currentHistoryToken()
            _ = try await store.container.historyConsumer("c", after: token)
            #expect(try await Self.stored(store) == "later")
            var loop = consumer.changes().makeAsyncIterator()
            let error = await Self.error { _ = try await loop.next() }
            #expect(error?.message.contains("removeHistoryConsumer(_:)") == true, "\(error as Any)")
        }
    }

    /// Two processes find the same expired place. The second one must not undo what the first one acknowledged.
    ///
    /// Control: a removal by name alone, as the first remedy was, moves the consumer back.
    @Test(arguments: [false, true]) func theSecondProcessKeepsThePlaceOfTheFirst(isControl: Bool) async throws
    {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            _ = try await store.container.historyConsumer("c")
            let expired = try #require(try await Self.stored(store))
            try Self.reset(store)
            let token = try await store.container.currentHistoryToken()
            let first = try await store.container.historyConsumer("c", after: token)
            try writer.write([1])
            var loop = first.changes().makeAsyncIterator()
            let batch = try #require(try await loop.next())
            try await first.acknowledge(batch)
            let isRegistered = try await store.container.perform { context in
                try context.withConnection { connection in
                    let consumers = HistoryConsumers(context.store)
                    if isControl {
                        _ = try consumers.remove("c", on: connection)
                        return try consumers.register("c", at: token, on: connection)
                    }
                    return try consumers.register("c", at: token, insteadOf: expired, on: connection)
                }
            }
            #expect(isRegistered == isControl)
            #expect(try await Self.stored(store) == (isControl ? token : batch.token).description)
        }
    }

    /// A purge has judged the expired place, which needs nothing, and waits. It must see the new one.
    ///
    /// Control: an update of the row looks like an acknowledgement, which a purge does not judge again.
    @Test(arguments: [false, true]) func aPurgeSeesTheNewPlace(isControl: Bool) async throws {
        try await HistoryStore.with { store in
            let (writer, holder) = (try store.writer(), try store.writer())
            _ = try await store.container.historyConsumer("c")
            try Self.reset(store)
            let token = try await store.container.currentHistoryToken()
            for key in 1...3 { try writer.write([Int64(key)], slot: 1) }
            // As of a cluster with greater numbers: the former place has seen everything.
            try store.execute("UPDATE \(Self.tables.consumer) SET snapshot = '900000000:900000000:'")
            try store.execute("UPDATE \(Self.tables.state) SET retention = '0 s'")
            try store.execute(
                "ALTER FUNCTION \(Self.tables.signature(of: .purge)) SET lock_timeout = '60s'")
            try holder.session.begin()
            _ = try holder.session.query("SELECT FROM \(Self.tables.state) FOR SHARE")
            // On a thread of the container: the threads of tasks are few.
            let purge = Task {
                try await store.container.perform { context in
                    try context.withConnection { connection in
                        try connection.query(
                            "SELECT \(Self.tables.name(of: .purge))(1::int2)", cached: false
                        ).scalar(\.bool)
                    }
                }
            }
            let end = ContinuousClock.now + .seconds(60)
            while .now < end,
                try writer.session.query(
                    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database())",
                    cached: false
                ).scalar(\.bool) != true
            { try await Task.sleep(for: .milliseconds(5)) }
            if isControl {
                try store.execute(
                    "UPDATE \(Self.tables.consumer) SET token = '\(token)', snapshot = '\(token.snapshot)'")
            } else {
                _ = try await store.container.historyConsumer("c", after: token)
            }
            try holder.session.commit()
            #expect(try await purge.value == isControl)
            if isControl { return }
            var loop = try await store.container.historyConsumer("c").changes().makeAsyncIterator()
            #expect(Self.keys(try await loop.next()) == [1, 2, 3])
        }
    }

    @Test func aRemovedConsumerIsToldFromAMovedOne() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let consumer = try await store.container.historyConsumer("c")
            try writer.write([1])
            var (one, other) = (
                consumer.changes().makeAsyncIterator(), consumer.changes().makeAsyncIterator()
            )
            let (first, same) = (try #require(try await one.next()), try #require(try await other.next()))
            try await consumer.acknowledge(first)
            let moved = await Self.error { try await consumer.acknowledge(same) }
            #expect(moved?.code == .consumerMoved && moved?.message.hasPrefix("Another process") == true)
            try writer.write([2])
            let second = try #require(try await one.next())
            try await store.container.removeHistoryConsumer("c")
            for error in [
                await Self.error { try await consumer.acknowledge(second) },
                await Self.error {
                    var gone = consumer.changes().makeAsyncIterator()
                    _ = try await gone.next()
                },
            ] {
                #expect(error?.code == .consumerMoved)
                #expect(
                    error?.message.contains("was removed") == true
                        && error?.message.contains("historyConsumer(_:after:)") == true, "\(error as Any)")
            }
            _ = try await store.container.historyConsumer("c")
            var loop = consumer.changes().makeAsyncIterator()
            try writer.write([3])
            #expect(Self.keys(try await loop.next()) == [3])
        }
    }
}
