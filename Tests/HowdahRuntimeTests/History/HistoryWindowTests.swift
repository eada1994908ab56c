import Foundation
import HowdahModel
import HowdahSchema
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// Windows between two snapshots deliver each committed change once, in the order of the changes of each
/// object.
struct HistoryWindowTests {
    /// A reader as programs write them by hand: everything with a greater number than the last one.
    private static func byNumber(_ session: Connection, after number: inout Int64) throws -> [Int64] {
        let rows = try session.query(
            "SELECT number, ids[1] FROM \(HistoryStore.tables.history) WHERE number > \(number) ORDER BY number, part",
            cached: false
        ).map { ($0[0].int64, $0[1].int64) }
        number = rows.last?.0 ?? number
        return rows.map(\.1)
    }

    /// A reader of everything that is older than each open transaction.
    private static func byHorizon(_ session: Connection, after horizon: inout UInt64) throws -> [Int64] {
        let rows = try session.query(
            """
            SELECT pg_snapshot_xmin(pg_current_snapshot())::text, h.ids[1] FROM (SELECT) AS one
            LEFT JOIN \(HistoryStore.tables.history) h ON h.txid >= '\(horizon)'::xid8
                AND h.txid < pg_snapshot_xmin(pg_current_snapshot())
            ORDER BY h.number, h.part
            """, cached: false)
        horizon = rows.first { UInt64($0[0].string()) ?? 0 } ?? horizon
        return rows.map { $0[1].isNull ? nil : $0[1].int64 }.compactMap(\.self)
    }

    @Test func changesThatCommitLateAreDeliveredOnce() async throws {
        try await HistoryStore.with { store in
            let (slow, fast, naive) = (try store.writer(), try store.writer(), try store.company.session())
            defer { naive.close() }
            var number: Int64 = 0
            var horizon = try #require(
                naive.query("SELECT pg_snapshot_xmin(pg_current_snapshot())::text").first {
                    UInt64($0[0].string()) ?? 0
                })
            var token = try await store.container.currentHistoryToken()
            try slow.session.begin()
            try slow.write([1])
            try fast.write([2])
            var result = try await store.history(after: token)
            #expect(result.transactions.map { $0.changes[0].changedObjectID.key } == [2])
            token = try #require(result.token)
            var numbers = try Self.byNumber(naive, after: &number)
            // The control waits for every transaction of the server, or it would miss changes.
            #expect(try Self.byHorizon(naive, after: &horizon) == [])
            try fast.write([3])
            result = try await store.history(after: token)
            #expect(result.transactions.map { $0.changes[0].changedObjectID.key } == [3])
            token = try #require(result.token)
            try slow.session.commit()
            #expect(try await store.keys(after: token) == [1])
            numbers += try Self.byNumber(naive, after: &number)
            #expect(numbers == [2, 3], "the control did not lose the change")
        }
    }

    /// The number must be drawn when the rows are locked, and not before.
    @Test func numbersThatAreDrawnEarlyInvertTheOrder() async throws {
        try await HistoryStore.with { store in
            let (first, second) = (try store.writer(), try store.writer())
            let id = try await store.company.hire(1)[0].key
            let token = try await store.container.currentHistoryToken()
            func draw(_ writer: HistoryWriter) throws -> Int64 {
                try writer.session.query("SELECT nextval('\(HistoryStore.tables.number)')").first {
                    $0[0].int64
                } ?? 0
            }
            func update(_ writer: HistoryWriter, _ visits: Int) throws {
                _ = try writer.session.query(
                    "UPDATE employee SET visits = \(visits) WHERE _id = \(id)", cached: false)
            }
            // The control draws at BEGIN.
            try first.session.begin()
            let early = try draw(first)
            try second.session.begin()
            try update(second, 1)
            try second.write([id], author: "1")
            try second.session.commit()
            try update(first, 2)
            try first.write([id], author: "2", number: early)
            try first.session.commit()
            let inverted = try await store.history(after: token)
            #expect(inverted.transactions.map(\.author) == ["2", "1"], "the control kept the order")
            // The writer of saves draws last.
            try first.session.begin()
            try second.session.begin()
            try update(second, 3)
            try second.write([id], author: "3")
            try second.session.commit()
            try update(first, 4)
            try first.write([id], author: "4")
            try first.session.commit()
            let ordered = try await store.history(after: inverted.token)
            #expect(ordered.transactions.map(\.author) == ["3", "4"])
        }
    }

    /// A cached sequence gives sessions numbers in advance.
    @Test func aCachedSequenceInvertsTheOrder() async throws {
        try await HistoryStore.with { store in
            func authors(cache: Int) async throws -> [String?] {
                try store.execute("ALTER SEQUENCE \(HistoryStore.tables.number) CACHE \(cache)")
                let (first, second) = (try store.writer(), try store.writer())
                try first.write([9])
                let token = try await store.container.currentHistoryToken()
                try second.write([1], author: "1")
                try first.write([1], author: "2")
                return try await store.history(after: token).transactions.map(\.author)
            }
            let ordered = try await authors(cache: 1)
            #expect(ordered == ["1", "2"])
            let inverted = try await authors(cache: 32)
            #expect(inverted == ["2", "1"], "the control kept the order")
        }
    }

    @Test func largeWindowsAreReadInPages() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let token = try await store.container.currentHistoryToken()
            try writer.session.begin()
            for number in 1...3_500 { try writer.write([Int64(number)], number: Int64(number)) }
            // One history transaction with more changes than a page.
            for part in 0..<25 {
                let ids = (0..<1_000).map { Int64(10_000 + part * 1_000 + $0) }
                try writer.write(ids, number: 4_000, part: part)
            }
            try writer.write([1], number: 5_000)
            try writer.session.commit()
            let result = try await store.history(after: token)
            #expect(result.count == 28_501 && result.transactions.count == 3_502)
            #expect(result.transactions.allSatisfy { !$0.isPartial })
            let numbers = Array<Int64>(1...3_500) + [4_000, 5_000]
            #expect(result.transactions.map(\.transactionNumber) == numbers)
            let keys = result.transactions[3_500].changes.map(\.changedObjectID.key)
            #expect(keys == Array<Int64>(10_000..<35_000))
            // From one token to the next, as text.
            var (place, delivered, partial) = (token, [Int64](), 0)
            let reader = HistoryReader(
                store.container.store, try HistoryConditions(nil, in: store.container.store))
            for _ in 0..<20 {
                let start = try #require(HistoryToken(place.description))
                let reading = try await store.container.perform { context in
                    try context.withConnection { try reader.readFlushed(after: start, on: $0) }
                }
                delivered += reading.rows.flatMap(\.ids)
                partial += reading.isPartial ? 1 : 0
                #expect(reading.rows.reduce(0) { $0 + $1.ids.count } <= 11_000)
                place = reading.token
                if reading.isComplete { break }
            }
            #expect(delivered == result.transactions.flatMap { $0.changes.map(\.changedObjectID.key) })
            #expect(partial == 2)
            #expect(place.page == nil)
        }
    }

    /// A transaction that ends with its page is whole, and more follows.
    @Test(arguments: [false, true]) func aTransactionMayFillAPage(hasManyRows: Bool) async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let token = try await store.container.currentHistoryToken()
            try writer.session.begin()
            let (rows, size) = hasManyRows ? (1_000, 1) : (20, 1_000)
            for part in 0..<rows {
                try writer.write((0..<size).map { Int64(10 + part * size + $0) }, number: 4_000, part: part)
            }
            try writer.write([1], number: 5_000)
            try writer.write([2], number: 6_000)
            try writer.session.commit()
            let result = try await store.history(after: token)
            #expect(result.transactions.map(\.transactionNumber) == [4_000, 5_000, 6_000])
            #expect(result.transactions.map(\.isPartial) == [false, false, false])
            #expect(result.transactions[0].changes.count == rows * size)
            let first = try await store.history(after: token, limit: 1)
            #expect(first.transactions.map(\.transactionNumber) == [4_000])
            let others = try await store.history(after: first.token)
            #expect(others.transactions.map(\.transactionNumber) == [5_000, 6_000])
            var batches = store.container.changes(after: token).makeAsyncIterator()
            var delivered: [String] = []
            while delivered.last?.hasPrefix("6000") != true {
                let batch = try #require(try await batches.next())
                delivered += batch.transactions.map { "\($0.transactionNumber) \($0.isPartial)" }
            }
            let start = hasManyRows ? [] : ["4000 true"]
            #expect(delivered == start + ["4000 false", "5000 false", "6000 false"])
        }
    }

    /// Each page judges the token in the statement that reads its rows.
    @Test func aPurgeBetweenPagesExpiresTheToken() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let token = try await store.container.currentHistoryToken()
            for number in 1...3_000 {
                try writer.write([Int64(number)], slot: number > 1_500 && number <= 2_500 ? 1 : 2)
            }
            let reader = HistoryReader(
                store.container.store, try HistoryConditions(nil, in: store.container.store))
            let first = try await store.container.perform { context in
                try context.withConnection { try reader.readFlushed(after: token, on: $0) }
            }
            #expect(first.rows.count == 1_000 && !first.isComplete)
            // The control judges the token once, when it opens the window.
            let session = try store.company.session()
            defer { session.close() }
            var naive = try NaiveReader(after: token.snapshot, on: session)
            #expect(naive.isServed)
            var read = try naive.page()
            #expect(read == 1_000)
            try store.execute("UPDATE \(HistoryStore.tables.state) SET retention = '0 s'")
            try await Task.sleep(for: .milliseconds(10))
            try store.execute("SELECT \(HistoryStore.tables.name(of: .purge))(1::int2)")
            while case let count = try naive.page(), count > 0 { read += count }
            #expect(read == 2_000, "control: a third is missing, without an error")
            await #expect { try await store.history(after: first.token) } throws: {
                ($0 as? HistoryError)?.code == .tokenExpired
            }
            await #expect { try await store.history(after: token) } throws: {
                ($0 as? HistoryError)?.code == .tokenExpired
            }
            // From the beginning, that is after what was purged.
            #expect(try await store.history(after: nil).count == 500)
        }
    }

    /// A statement takes its snapshot after the locks of all slots. So the purge has not begun, or its state is visible.
    @Test func aReadingThatWaitsForAPurgeExpires() async throws {
        try await HistoryStore.with { store in
            let (writer, purge) = (try store.writer(), try store.writer())
            let token = try await store.container.currentHistoryToken()
            try writer.write([1], slot: 1)
            try writer.write([2], slot: 2)
            try store.execute("UPDATE \(HistoryStore.tables.state) SET retention = '0 s'")
            try await Task.sleep(for: .milliseconds(10))
            try purge.session.begin()
            let isPurged = try purge.session.query("SELECT \(HistoryStore.tables.name(of: .purge))(1::int2)")
                .scalar(\.bool)
            #expect(isPurged == true)
            // The control judges the token in a statement before the one that reads.
            let control = Task.detached {
                let session = try store.company.session()
                defer { session.close() }
                var naive = try NaiveReader(after: token.snapshot, on: session)
                return (naive.isServed, try naive.page())
            }
            let reading = Task { try await store.history(after: token) }
            let end = ContinuousClock.now + .seconds(300)
            while .now < end,
                try writer.session.query(
                    "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
                    cached: false
                ).scalar(\.int64) ?? 0 < 2
            { try await Task.sleep(for: .milliseconds(5)) }
            try purge.session.commit()
            let (isServed, count) = try await control.value
            #expect(isServed && count == 1, "control: one change is missing, without an error")
            await #expect { try await reading.value } throws: {
                ($0 as? HistoryError)?.code == .tokenExpired
            }
        }
    }

    /// Preserved values have no limit of their own, so pages have one in bytes.
    @Test func pagesAreBoundedInBytes() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let token = try await store.container.currentHistoryToken()
            let bytes = HistoryStatements.pageBytes
            try writer.session.begin()
            // One row alone is larger than a page.
            for key in 1...30 {
                let text = String(repeating: "x", count: key == 7 ? bytes + 1_000 : bytes / 10)
                try writer.write(
                    [Int64(key)], kind: 2, properties: nil, tombstones: #"[{"firstName": "\#(text)"}]"#)
            }
            try writer.session.commit()
            let reader = HistoryReader(
                store.container.store, try HistoryConditions(nil, in: store.container.store))
            var (place, delivered, pages) = (token, [Int64](), 0)
            while pages < 40 {
                let start = place
                let reading = try await store.container.perform { context in
                    try context.withConnection { try reader.readFlushed(after: start, on: $0) }
                }
                pages += 1
                let size = reading.rows.reduce(0) { $0 + ($1.tombstones?.utf8.count ?? 0) }
                #expect(size <= bytes || reading.rows.count == 1)
                delivered += reading.rows.flatMap(\.ids)
                place = reading.token
                if reading.isComplete { break }
            }
            #expect(pages >= 4 && delivered == Array<Int64>(1...30))
            #expect(try await store.keys(after: token) == Array<Int64>(1...30))
        }
    }

    /// The server looks only at the values of a page, so a page ends earlier if they cannot be compressed.
    @Test func pagesAreBoundedInStoredBytes() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let token = try await store.container.currentHistoryToken()
            var random = SeededGenerator(seed: 7)
            try writer.session.begin()
            for key in 1...30 {
                let text = (0..<12_500).map { _ in String(random.next(), radix: 16) }.joined()
                try writer.write(
                    [Int64(key)], kind: 2, properties: nil, tombstones: #"[{"firstName": "\#(text)"}]"#)
            }
            try writer.session.commit()
            var batches = store.container.changes(after: token).makeAsyncIterator()
            var (sizes, keys) = ([Int](), [Int64]())
            while keys.count < 30 {
                let batch = try #require(try await batches.next())
                let changes = batch.transactions.flatMap(\.changes)
                sizes.append(changes.count)
                keys += changes.map(\.changedObjectID.key)
            }
            #expect(keys == Array<Int64>(1...30))
            #expect(sizes.count >= 3 && sizes.allSatisfy { $0 <= 14 }, "\(sizes)")
        }
    }

    /// `SET LOCAL` outside of a transaction warns in the server's log at each reading.
    @Test func settingsOfReadingsCauseNoWarnings() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            let token = try await store.container.currentHistoryToken()
            try writer.session.begin()
            for key in 1...1_500 { try writer.write([Int64(key)]) }
            try writer.session.commit()
            let reader = HistoryReader(
                store.container.store, try HistoryConditions(nil, in: store.container.store))
            let (states, control) = try await store.container.perform { context in
                try context.withConnection { connection in
                    let former = connection.noticeHandler
                    defer { connection.noticeHandler = former }
                    var states: [String?] = []
                    connection.noticeHandler = { states.append($0.sqlState) }
                    let page = try reader.readFlushed(after: token, on: connection)
                    #expect(!page.isComplete)
                    _ = try reader.readFlushed(after: page.token, on: connection)
                    _ = try reader.flush(page.kept ?? reader.state(on: connection).edge, on: connection)
                    _ = try reader.currentToken(on: connection)
                    _ = try HistoryKeeping(context.store).beat(on: connection)
                    let seen = states
                    var batch = Batch()
                    batch.add("SET LOCAL synchronous_commit = on")
                    batch.add("SELECT 1")
                    _ = try connection.run(batch)
                    return (seen, states.last ?? nil)
                }
            }
            #expect(states == [])
            #expect(control == "25P01", "control: the first wording warns")
        }
    }

    @Test func aPurgeOfReadChangesKeepsTokens() async throws {
        try await HistoryStore.with { store in
            let (writer, stuck) = (try store.writer(), try store.writer())
            try stuck.session.begin()
            _ = try stuck.session.query("SELECT pg_current_xact_id()")
            try writer.write([1], slot: 1)
            var token = try await store.container.currentHistoryToken()
            // Transactions of other tests, which end before the purge, would expire it.
            while token.snapshot.inProgress.count > 1 {
                try await Task.sleep(for: .milliseconds(2))
                token = try await store.container.currentHistoryToken()
            }
            try writer.write([2], slot: 2)
            try store.execute("UPDATE \(HistoryStore.tables.state) SET retention = '0 s'")
            try await Task.sleep(for: .milliseconds(10))
            try store.execute("SELECT \(HistoryStore.tables.name(of: .purge))(1::int2)")
            #expect(try await store.keys(after: nil) == [2])
            // A transaction from before the purge that is still open does not expire the token.
            #expect(try await store.keys(after: token) == [2])
            try stuck.write([3])
            try stuck.session.commit()
            #expect(try await Set(store.keys(after: token)) == [2, 3])
        }
    }

    /// The token of a transaction leaves out the transaction itself.
    @Test func aTokenOfATransactionIsThatOfItsSnapshot() async throws {
        try await HistoryStore.with { store in
            let own = try await store.container.perform(isolation: .readCommitted) { context in
                try context.withConnection { connection in
                    _ = try connection.query("SELECT pg_current_xact_id()")
                    try store.writer().write([1])
                    let token = try context.currentHistoryToken()
                    try HistoryWriter(session: connection, isOwner: false).write([2])
                    return token
                }
            }
            #expect(!own.snapshot.inProgress.isEmpty)
            let keys = try await store.keys(after: own)
            #expect(keys == [2])
            let token = try await store.container.perform(isolation: .repeatableRead) { context in
                _ = try context.count(for: FetchRequest<Employee>())
                try store.writer().write([3])
                return try context.currentHistoryToken()
            }
            let later = try await store.keys(after: token)
            #expect(later == [3])
        }
    }

    /// A window ends where the log is flushed.
    @Test func edgesAreFlushed() async throws {
        try await HistoryStore.with { store in
            let writer = try store.writer()
            _ = try writer.session.query("SET synchronous_commit = off")
            let reader = HistoryReader(
                store.container.store, try HistoryConditions(nil, in: store.container.store))
            var token = try await store.container.currentHistoryToken()
            var (delivered, unflushed) = ([Int64](), 0)
            for key in 1...200 {
                try writer.write([Int64(key)])
                let start = token
                let reading = try await store.container.perform { context in
                    try context.withConnection { try reader.read(after: start, on: $0) }
                }
                if reading.end == nil {
                    unflushed += 1
                    #expect(reading.rows.isEmpty && reading.token == token && reading.kept != nil)
                }
                delivered += reading.rows.flatMap(\.ids)
                token = reading.token
            }
            #expect(unflushed > 0, "every commit was flushed")
            delivered += try await store.keys(after: token)
            #expect(delivered == Array<Int64>(1...200))
        }
    }
}

extension HistoryReader {
    /// Reads after the server has flushed its log.
    fileprivate func readFlushed(after token: HistoryToken, on connection: Connection) throws
        -> HistoryReading
    {
        let reading = try read(after: token, on: connection)
        guard reading.end == nil, let edge = reading.kept else { return reading }
        guard try flush(edge, on: connection) else { return try readFlushed(after: token, on: connection) }
        return try read(after: token, keeping: edge.flushed, on: connection)
    }
}

/// A reader that judges its token once, before the rows.
private struct NaiveReader {
    private let start: StoreSnapshot
    private let session: Connection
    private var last: Int64 = 0
    /// Indicates whether nothing was purged that the token does not see.
    let isServed: Bool

    init(after start: StoreSnapshot, on session: Connection) throws {
        self.start = start
        self.session = session
        isServed =
            try session.query(
                "SELECT purged_txid < '\(start.xmax)'::xid8 FROM \(HistoryStore.tables.state)", cached: false
            ).scalar(\.bool) ?? false
    }

    /// Reads the next page; returns the number of its rows.
    mutating func page() throws -> Int {
        let numbers = try session.query(
            """
            SELECT number FROM \(HistoryStore.tables.history) WHERE NOT pg_visible_in_snapshot(txid, '\(start)')
                AND number > \(last) ORDER BY number LIMIT 1000
            """, cached: false
        ).map { $0[0].int64 }
        last = numbers.last ?? last
        return numbers.count
    }
}
