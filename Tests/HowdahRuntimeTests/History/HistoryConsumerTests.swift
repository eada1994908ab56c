import Foundation
import HowdahModel
import HowdahSchema
import PQClient
import Synchronization
import Testing

@testable import HowdahRuntime

/// Registered consumers miss nothing, and get nothing twice that they acknowledged.
struct HistoryConsumerTests {
    private static func keys(_ batch: HistoryBatch) -> [Int64] {
        batch.transactions.flatMap { $0.changes.map(\.changedObjectID.key) }
    }

    private static func code(_ body: () async throws -> Void) async -> HistoryError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? HistoryError)?.code
        }
    }

    @Test func aConsumerResumesAfterItsLastAcknowledgedBatch() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            try writer.write([1])
            let consumer = try await store.container.historyConsumer("mailer")
            try writer.write([2])
            var loop = consumer.changes().makeAsyncIterator()
            let first = try #require(try await loop.next())
            #expect(Self.keys(first) == [2] && !first.isAfterFailover && first.changeCount == 1)
            // Not acknowledged: delivered again.
            var again = try await store.container.historyConsumer("mailer").changes().makeAsyncIterator()
            let repeated = try #require(try await again.next())
            #expect(Self.keys(repeated) == [2])
            try await consumer.acknowledge(first)
            try writer.write([3])
            let second = try #require(try await loop.next())
            #expect(Self.keys(second) == [3])
            try writer.write([4])
            let third = try #require(try await loop.next())
            // The last batch acknowledges those before it.
            try await consumer.acknowledge(third)
            try writer.write([5])
            var resumed = consumer.changes().makeAsyncIterator()
            #expect(Self.keys(try #require(try await resumed.next())) == [5])
        }
    }

    /// A program may run for a short time, and its filter may find nothing in it.
    @Test func aConsumerMovesOnAtItsFirstLookWithoutChanges() async throws {
        try await HistoryStore.with { store in
            let consumer = try await store.container.historyConsumer("rare")
            try store.writer().write([1])
            let session = try store.company.session()
            defer { session.close() }
            func stored() throws -> String? {
                try session.query("SELECT token FROM \(HistoryStore.tables.consumer)").scalar { $0.string() }
            }
            let before = try stored()
            let loop = Task {
                for try await _ in consumer.changes(of: [Department.self]) {}
            }
            for _ in 0..<3_000 {
                if try stored() != before { break }
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try stored() != before)
            loop.cancel()
            _ = await loop.result
        }
    }

    @Test func anAcknowledgementIsPartOfItsTransaction() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let consumer = try await store.container.historyConsumer("counter")
            try writer.write([1])
            var loop = consumer.changes().makeAsyncIterator()
            let batch = try #require(try await loop.next())
            struct Failure: Error {}
            func count(_ fails: Bool) async throws {
                try await store.container.perform(isolation: .readCommitted) { context in
                    let employee = Employee(context: context)
                    employee.firstName = "effect"
                    try context.save()
                    try context.acknowledge(batch)
                    if fails { throw Failure() }
                }
            }
            await #expect(throws: Failure.self) { try await count(true) }
            #expect(try store.company.storedNames() == [])
            var again = consumer.changes().makeAsyncIterator()
            #expect(Self.keys(try #require(try await again.next())) == [1])
            try await count(false)
            #expect(try store.company.storedNames() == ["effect"])
            // A second time nothing happens.
            #expect(await Self.code { try await count(false) } == .consumerMoved)
            #expect(try store.company.storedNames() == ["effect"])
        }
    }

    /// Two processes with one name: the token never goes back. An unconditional UPDATE would write it back.
    @Test func aSecondProcessCannotMoveTheTokenBack() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let consumer = try await store.container.historyConsumer("mailer")
            try writer.write([1])
            var (one, other) = (
                consumer.changes().makeAsyncIterator(), consumer.changes().makeAsyncIterator()
            )
            let (first, same) = (try #require(try await one.next()), try #require(try await other.next()))
            try await consumer.acknowledge(first)
            try writer.write([2])
            let second = try #require(try await one.next())
            try await consumer.acknowledge(second)
            #expect(await Self.code { try await consumer.acknowledge(same) } == .consumerMoved)
            #expect(await Self.code { try await consumer.acknowledge(first) } == .consumerMoved)
            #expect(await Self.code { try await consumer.acknowledge(second) } == .consumerMoved)
            let stored = try await store.container.perform { context in
                try context.withConnection {
                    try HistoryConsumers(context.store).token(of: "mailer", on: $0)
                }
            }
            #expect(stored == second.token.description)
            // Control: without the condition, the slower process moves the consumer back.
            let session = try store.company.session()
            defer { session.close() }
            try session.begin()
            _ = try session.query(
                "UPDATE \(HistoryStore.tables.consumer) SET token = '\(first.token.description)' WHERE name = 'mailer'"
            )
            let moved = try session.query("SELECT token FROM \(HistoryStore.tables.consumer)").scalar {
                $0.string()
            }
            #expect(moved == first.token.description, "control")
            try session.rollback()
            // Before it is removed: a loop that waits for changes notices it, too.
            try writer.write([3])
            let third = try #require(try await one.next())
            #expect(try await store.container.removeHistoryConsumer("mailer"))
            #expect(try await !store.container.removeHistoryConsumer("mailer"))
            #expect(await Self.code { try await consumer.acknowledge(third) } == .consumerMoved)
            var gone = consumer.changes().makeAsyncIterator()
            #expect(await Self.code { _ = try await gone.next() } == .consumerMoved)
            let plain = store.container.changes(after: third.token)
            var loop = plain.makeAsyncIterator()
            try writer.write([4])
            let batch = try #require(try await loop.next())
            #expect(
                await Self.code { try await store.container.perform { try $0.acknowledge(batch) } }
                    == .invalidRequest)
        }
    }

    @Test func aConsumerHoldsItsChanges() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let consumer = try await store.container.historyConsumer("mailer")
            try writer.write([1], slot: 1)
            try store.execute("UPDATE \(HistoryStore.tables.state) SET retention = '0 s'")
            try await Task.sleep(for: .milliseconds(10))
            func upkeep() async throws -> Int {
                try await store.container.perform { context in
                    try context.withConnection { try HistoryKeeping(context.store).maintain(on: $0) }
                }
                return try await store.history(after: nil).count
            }
            #expect(try await upkeep() == 1)
            let token = try await store.container.currentHistoryToken()
            #expect(
                await Self.code { try await store.container.deleteHistory(before: token) } == .heldByConsumer)
            var loop = consumer.changes().makeAsyncIterator()
            try await consumer.acknowledge(try #require(try await loop.next()))
            // A token that lists transactions of other tests holds the slot until the next one is acknowledged.
            let end = ContinuousClock.now + .seconds(300)
            while try await upkeep() > 0, .now < end {
                try writer.write([2], slot: 1)
                try await consumer.acknowledge(try #require(try await loop.next()))
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await upkeep() == 0)
            try await store.container.deleteHistory(before: token)
        }
    }

    @Test func aConsumerMayBeginAtATokenThatIsKept() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let token = try await store.container.currentHistoryToken()
            try writer.write([1])
            let consumer = try await store.container.historyConsumer("late", after: token)
            var loop = consumer.changes().makeAsyncIterator()
            let batch = try #require(try await loop.next())
            #expect(Self.keys(batch) == [1])
            try await consumer.acknowledge(batch)
            try await store.container.deleteHistory(before: batch.token)
            #expect(
                await Self.code { _ = try await store.container.historyConsumer("later", after: token) }
                    == .tokenExpired)
            #expect(try await !store.container.removeHistoryConsumer("later"))
            // One that exists keeps its place.
            _ = try await store.container.historyConsumer("late", after: token)
        }
    }

    /// Its own acknowledgement is later than its position, and is not history that it missed.
    @Test(arguments: [false, true])
    func aConsumerThatHasReadEverythingSurvivesADeletion(physically: Bool) async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let start = try await store.container.currentHistoryToken()
            let consumer = try await store.container.historyConsumer("mailer")
            let second = try await store.container.historyConsumer("index")
            try writer.write([1])
            for one in [consumer, second] {
                var loop = one.changes().makeAsyncIterator()
                try await one.acknowledge(try #require(try await loop.next()))
            }
            try await store.container.deleteHistory(
                before: store.container.currentHistoryToken(), physically: physically)
            #expect(await Self.code { _ = try await store.history(after: start) } == .tokenExpired)
            #expect(try await store.keys(after: nil) == [])
            try writer.write([2])
            for one in [consumer, second] {
                var loop = one.changes().makeAsyncIterator()
                let batch = try #require(try await loop.next())
                #expect(Self.keys(batch) == [2])
                try await one.acknowledge(batch)
            }
        }
    }

    /// A registration shares the lock of the state, so that a purge or deletion that waits for it sees the consumer.
    @Test func aConsumerMayRegisterWhileAPurgeWaits() async throws {
        try await HistoryStore.with { store in
            let (writer, holder) = (try store.writer(), try store.writer())
            let token = try await store.container.currentHistoryToken()
            for key in 1...3 { try writer.write([Int64(key)], slot: 1) }
            let tables = HistoryStore.tables
            try store.execute("UPDATE \(tables.state) SET retention = '0 s'")
            try store.execute("ALTER FUNCTION \(tables.signature(of: .purge)) SET lock_timeout = '30s'")
            try await Task.sleep(for: .milliseconds(10))
            try holder.session.begin()
            _ = try holder.session.query("SELECT FROM \(tables.state) FOR SHARE")
            let purge = Task.detached {
                let session = try store.company.session()
                defer { session.close() }
                return try session.query("SELECT \(tables.name(of: .purge))(1::int2)", cached: false)
                    .scalar(\.bool)
            }
            let end = ContinuousClock.now + .seconds(300)
            while .now < end,
                try writer.session.query(
                    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database())",
                    cached: false
                ).scalar(\.bool) != true
            { try await Task.sleep(for: .milliseconds(5)) }
            let consumer = try await store.container.historyConsumer("late", after: token)
            try holder.session.commit()
            #expect(try await purge.value == false)
            var loop = consumer.changes().makeAsyncIterator()
            #expect(Self.keys(try #require(try await loop.next())) == [1, 2, 3])
        }
    }

    @Test func aFilterMovesItsConsumerOn() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let consumer = try await store.container.historyConsumer("mailer")
            try writer.write([1])
            try writer.write([2], entity: "Department", properties: ["name"])
            var loop = consumer.changes(of: [Department.self]).makeAsyncIterator()
            let batch = try #require(try await loop.next())
            #expect(Self.keys(batch) == [2])
            // Acknowledged, so nothing is left, although a change of another entity was before it.
            try await consumer.acknowledge(batch)
            #expect(try await store.keys(after: batch.token) == [])
        }
    }

    @Test func streamsWaitForChangesAndEndWithTheContainer() async throws {
        var options = StoreOptions()
        options.changePolling = .seconds(3_600)
        try await HistoryStore.with(options: options) { store in
            let (writer, token) = (try store.writer(), try await store.container.currentHistoryToken())
            try writer.write([1])
            let received = Mutex<[[Int64]]>([])
            let loop = Task {
                for try await batch in store.container.changes(after: token, of: [Employee.self]) {
                    received.withLock { $0.append(Self.keys(batch)) }
                }
            }
            while received.withLock({ $0.count }) < 1 { try await Task.sleep(for: .milliseconds(2)) }
            let end = ContinuousClock.now + .seconds(300)
            // While an edge is not flushed, the stream looks again within a second: that is no waiting yet.
            var (last, quiet) = (Int64(1), 0)
            while quiet < 40, .now < end {
                if received.withLock({ $0.last?.last }) == last {
                    last += 1
                    try writer.write([last])
                    quiet = 0
                }
                quiet += 1
                try await Task.sleep(for: .milliseconds(50))
                if received.withLock({ $0.last?.last }) == last { quiet = 0 }
            }
            #expect(quiet == 40, "the stream does not wait")
            // A save of the container wakes the stream long before it would look again.
            _ = try await store.company.hire(1)
            while received.withLock({ !$0.joined().contains(last) }), .now < end {
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(received.withLock { Array($0.joined().prefix(Int(last))) } == Array(1...last))
            await store.container.close(drainingFor: .seconds(1))
            try await loop.value
        }
    }

    @Test func aCancelledStreamThrows() async throws {
        try await HistoryStore.with { store in
            let loop = Task {
                for try await _ in store.container.changes(after: nil) {}
            }
            try await Task.sleep(for: .milliseconds(50))
            loop.cancel()
            await #expect(throws: CancellationError.self) { try await loop.value }
        }
    }

    /// After a failover the address leads to a standby for a moment: the stream waits for the primary, and not for ever.
    @Test(arguments: ["55000", "25006", "57P03", "40001", "42501"])
    func errorsOfAFailoverPass(_ state: String) async throws {
        try await HistoryStore.with { store in
            let session = try store.company.session()
            defer { session.close() }
            let cause = try #require(throws: PostgresError.self) {
                try session.executeScript("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '\(state)'; END $$")
            }
            let error = HistoryError(cause)
            var pauses = HistoryPauses(polling: .milliseconds(1))
            let now = ContinuousClock.now
            let isTransient = state != "42501"
            func code(_ moment: ContinuousClock.Instant) -> HistoryError.Code? {
                do {
                    try pauses.fail(error, at: moment)
                    return nil
                } catch { return (error as? HistoryError)?.code }
            }
            #expect(code(now) == (isTransient ? nil : .database))
            #expect(code(now + .seconds(59)) == (isTransient ? nil : .database))
            let isOfStandby = state == "55000" || state == "25006"
            #expect(code(now + .seconds(61)) == (isTransient && !isOfStandby ? nil : .database))
            pauses.succeed()
            #expect(code(now + .seconds(90)) == (isTransient ? nil : .database))
        }
    }

    @Test func streamsOutliveTheirConnections() async throws {
        try await HistoryStore.with { store in
            let token = try await store.container.currentHistoryToken()
            var loop = store.container.changes(after: token).makeAsyncIterator()
            for key in 1...5 {
                try store.company.terminateSessions()
                let writer = try store.writer()
                try writer.write([Int64(key)])
                #expect(Self.keys(try #require(try await loop.next())) == [Int64(key)])
            }
        }
    }
}
