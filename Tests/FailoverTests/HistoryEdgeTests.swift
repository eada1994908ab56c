import Howdah
import HowdahModel
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// The ends of windows over crashes of the server, and at the ends of its log.
@Suite struct HistoryEdgeTests {
    private static func reader(_ container: PersistentContainer) throws -> HistoryReader {
        HistoryReader(container.store, try HistoryConditions(nil, in: container.store))
    }

    private static func read(
        _ container: PersistentContainer, after token: HistoryToken, keeping kept: HistoryEdge? = nil
    ) async throws -> HistoryReading {
        let reader = try reader(container)
        return try await container.perform { context in
            try context.withConnection { try reader.read(after: token, keeping: kept, on: $0) }
        }
    }

    /// A crash of one session takes transactions back, and gives their ids out again, in the same era.
    ///
    /// The control takes the edge at its word once the new log is longer than the lost one.
    @Test func anEdgeThatACrashTookBackIsNotUsed() async throws {
        let settings = ["synchronous_commit": "off", "wal_writer_delay": "10s"]
        try await FailoverPrograms.run(replicas: 0, settings: settings) { programs, store in
            let server = store.primary
            try await programs.save(1, on: server)
            try await programs.beat(server)
            let token = try await programs.token(server)
            let (_, reading) = try await programs.crashUnwritten(.session, server) {
                try await programs.opened(server) { try await Self.read($0, after: token) }
            }
            let kept = try #require(reading.kept)
            #expect(reading.end == nil && reading.rows.isEmpty)

            let (slow, other) = (
                try Connection(ConnectionConfiguration(server.url)),
                try Connection(ConnectionConfiguration(server.url))
            )
            defer {
                slow.close()
                other.close()
            }
            try slow.begin()
            try slow.executeScript(
                """
                INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids)
                SELECT 0, nextval('_howdah_history_number'), 0, 0, 'Visitor', 1, '{4711}'
                """)
            let id = try #require(
                try slow.query("SELECT pg_current_xact_id()::text").map { UInt64($0[0].string()) }.first
                    ?? nil)
            #expect(kept.snapshot.sees(id), "the id was given out again")
            // A snapshot of the future would be noticed.
            for _ in id...kept.snapshot.xmax {
                _ = try other.query("SELECT pg_current_xact_id()::text")
            }
            // The new log grows beyond the lost end. Its own end is not flushed, so that the kept edge counts.
            try other.executeScript(
                """
                SELECT pg_logical_emit_message(false, 'test', repeat('x', 100000));
                BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_current_xact_id(); COMMIT
                """)
            try other.executeScript("SELECT pg_current_xact_id()")
            #expect(
                try other.query("SELECT pg_current_wal_flush_lsn() > '\(kept.position)'").scalar(\.bool)
                    == true)
            try await programs.opened(server) { container in
                #expect(
                    try await container.perform { context in
                        try context.withConnection { try Self.reader(container).flush(kept, on: $0) }
                    } == false)
                try other.executeScript("SELECT pg_current_xact_id()")
                let careful = try await Self.read(container, after: token, keeping: kept)
                try other.executeScript("SELECT pg_current_xact_id()")
                let careless = try await Self.read(container, after: token, keeping: kept.flushed)
                #expect(careless.end == kept.snapshot, "control: the edge seems to be flushed")
                #expect(careful.end != kept.snapshot && careful.kept != kept)
                try slow.commit()
                func later(_ token: HistoryToken) async throws -> [Int64] {
                    let result = try await container.perform {
                        try $0.execute(HistoryRequest.fetch(after: token))
                    }
                    return result.transactions.flatMap { $0.changes.map(\.changedObjectID.key) }
                }
                #expect(try await !later(careless.token).contains(4711), "control: the change is missed")
                #expect(try await later(careful.token).contains(4711))
            }
        }
    }

    /// The place in the log at which it ends.
    enum End: CaseIterable { case page, segment }

    /// The position after the last record then lies after a header that is not written yet.
    ///
    /// The control compares positions, and waits until another program writes.
    @Test(arguments: End.allCases) func aLogThatEndsWithAPageIsFlushed(_ place: End) async throws {
        try await FailoverPrograms.run(replicas: 0) { programs, store in
            let server = store.primary
            let sql = try Connection(ConnectionConfiguration(server.url))
            defer { sql.close() }
            func number(_ expression: String) throws -> Int64 {
                try sql.query("SELECT (\(expression))::int8", cached: false).scalar { $0.int64 } ?? -1
            }
            func distance() throws -> Int64 {
                try number("pg_wal_lsn_diff(pg_current_wal_insert_lsn(), pg_current_wal_flush_lsn())")
            }
            try await programs.opened(server) { container in
                var isFound = false
                for _ in 0..<10 where !isFound {
                    let token = try await container.currentHistoryToken()
                    let keys = try await programs.save(1, on: server)
                    switch place {
                    case .segment: try sql.executeScript("SELECT pg_switch_wal()")
                    case .page: try Self.fillPage(sql, number)
                    }
                    let header: Int64 = place == .page ? 24 : 40
                    let end = ContinuousClock.now + .seconds(12)
                    while try distance() != header, .now < end {
                        try await Task.sleep(for: .milliseconds(20))
                    }
                    let reading = try await Self.read(container, after: token)
                    // Another process of the server may have written meanwhile.
                    guard try distance() == header else { continue }
                    isFound = true
                    #expect(reading.kept == nil && Set(reading.rows.flatMap(\.ids)) == keys)
                    let inside = try await container.perform(isolation: .repeatableRead) {
                        try $0.currentHistoryToken()
                    }
                    #expect(inside.snapshot.sees(allOf: reading.token.snapshot))
                    #expect(try distance() == header, "control: by positions, the log is not flushed")
                }
                #expect(isFound)
            }
        }
    }

    /// Writes records until the log ends with a page.
    private static func fillPage(_ sql: Connection, _ number: (String) throws -> Int64) throws {
        func emit(_ count: Int64) throws {
            try sql.executeScript("SELECT pg_logical_emit_message(false, '', repeat('x', \(count)))")
        }
        func place() throws -> Int64 {
            try number("pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') % 8192")
        }
        for _ in 0..<50 {
            let start = try place()
            if start == 24 { return }
            try emit(0)
            let size = try place() - start
            let rest = 8_192 - start - size
            guard size > 0, rest >= size else { continue }
            if rest - size <= 160 { try emit(rest - size) } else { try emit(min(rest - size - 160, 4_000)) }
        }
    }
}
