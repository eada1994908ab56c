import Foundation
import Testing

@testable import PQClient

@Suite struct CopyOutTests {
    @Test(arguments: [0, 1, 2, 5_000])
    func bringsTheRowsThatAQueryBrings(count: Int) throws {
        let connection = try TestCluster.connect()
        let sql =
            "SELECT n, n::int2, CASE WHEN n % 3 = 0 THEN NULL ELSE repeat('ä', n % 50) END, n * 1.25::numeric "
            + "FROM generate_series(1, \(count)) n"
        var types: [OID] = []
        var rows: [String] = []
        let copied = try connection.copyOut(sql) {
            types = $0
        } row: {
            rows.append(try Self.text($0))
        }
        let queried = try connection.query(sql).map(Self.text)
        #expect(copied == count && rows == queried)
        #expect(types == [.int4, .int2, .text, .numeric])
        #expect(try connection.query("SELECT 1").scalar(\.int32) == 1)
    }

    private static func text(_ row: Row) throws -> String {
        "\(row[0].int32) \(row[1].int16) \(row[2].isNull ? "-" : row[2].string()) \(try row[3].decimal())"
    }

    private struct Stop: Error {}

    @Test func anErrorOfTheCallerIsThrownAndTheConnectionGoesOn() throws {
        let connection = try TestCluster.connect()
        var seen = 0
        #expect(throws: Stop.self) {
            try connection.copyOut("SELECT generate_series(1, 100000)", begin: { _ in }) { _ in
                seen += 1
                if seen == 3 { throw Stop() }
            }
        }
        #expect(seen == 3)
        #expect(throws: Stop.self) {
            try connection.copyOut("SELECT 1", begin: { _ in throw Stop() }, row: { _ in })
        }
        #expect(try connection.query("SELECT 1").scalar(\.int32) == 1)
    }

    /// Also one that is none of the server's, whose text may have values in it.
    @Test func anErrorOfTheCallerIsReported() throws {
        struct Refusal: Error { let secret = "hunter2" }
        let connection = try TestCluster.connect()
        var events: [StatementEvent] = []
        connection.observer = { events.append($0) }
        #expect(throws: Refusal.self) {
            try connection.copyOut("SELECT 1", begin: { _ in }, row: { _ in throw Refusal() })
        }
        #expect(throws: Refusal.self) {
            _ = try connection.query("CREATE TEMP TABLE t (n int4)")
            try connection.copyIn("COPY t FROM STDIN (FORMAT binary)") { _ in throw Refusal() }
        }
        let copies = events.filter { $0.kind == .copy }
        #expect(copies.count == 2 && copies.allSatisfy { $0.error?.code == .cancelled })
        #expect(copies.allSatisfy { !"\($0)".contains("hunter2") })
    }

    /// libpq tells its notice receiver of a column that is not there; the receiver may be gone with the connection.
    @Test func theTypeOfAColumnThatIsNotThere() throws {
        let connection = try TestCluster.connect()
        var notices = 0
        connection.noticeHandler = { _ in notices += 1 }
        let result = try connection.query("SELECT 1::int4")
        connection.close()
        for index in [-1, 1, .max, .min] { #expect(result.type(ofColumn: index) == OID(rawValue: 0)) }
        #expect(result.type(ofColumn: 0) == .int4 && notices == 0)
    }

    @Test func anErrorOfTheServerIsThrownWhereverItComes() throws {
        let connection = try TestCluster.connect()
        for (sql, state) in [
            ("SELECT nonsense", "42703"), ("SELECT 1 / (500 - n) FROM generate_series(1, 1000) n", "22012"),
        ] {
            let error = try #require(throws: PostgresError.self) {
                try connection.copyOut(sql, begin: { _ in }, row: { _ in })
            }
            #expect(error.sqlState == state && error.code == .server)
        }
        #expect(try connection.query("SELECT 1").scalar(\.int32) == 1)
    }

    @Test func aDeadlineEndsIt() throws {
        let connection = try TestCluster.connect()
        connection.deadline = .now + .seconds(2)
        let error = try #require(throws: PostgresError.self) {
            try connection.copyOut(
                "SELECT pg_sleep(0.05) FROM generate_series(1, 6000)", begin: { _ in }, row: { _ in })
        }
        #expect(error.code == .deadlineExceeded)
        connection.deadline = nil
        #expect(try connection.query("SELECT 1").scalar(\.int32) == 1)
    }

    @Test func aLostConnectionIsToldAsOne() throws {
        let connection = try TestCluster.connect()
        let backend = try #require(try connection.query("SELECT pg_backend_pid()").scalar(\.int32))
        let other = try TestCluster.connect()
        let error = try #require(throws: PostgresError.self) {
            try connection.copyOut(
                "SELECT repeat('x', 1000), pg_sleep(CASE WHEN n = 3000 THEN 60 ELSE 0 END) "
                    + "FROM generate_series(1, 4000) n", begin: { _ in }
            ) { _ in
                _ = try other.query("SELECT pg_terminate_backend(\(backend))", cached: false)
            }
        }
        #expect(error.code == .connectionLost && !connection.isUsable)
    }

    @Test func bytesThatAreNoRowsAreRefused() throws {
        let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [0, 0, 0, 0, 0, 0, 0, 0]
        let rows: [[UInt8]] = [
            [], [0], [0, 1], [0, 2, 0, 0, 0, 4, 0, 0, 0, 1], [0, 1, 0, 0, 0, 4, 0, 0],
            [0, 1, 0, 0, 0, 8] + header,
            [0, 1, 0x7F, 0xFF, 0xFF, 0xFF, 0],
        ]
        for bytes in rows + [[0, 1, 0, 0, 0, 4, 0, 0, 0, 9]] {
            var reader = CopyReader(types: [.int4])
            defer { reader.deallocate() }
            #expect(try header.withUnsafeBytes { try reader.row($0) == nil })
            let isRight = bytes.last == 9
            let value = bytes.withUnsafeBytes { bytes in try? reader.row(bytes)?[0].int32 }
            #expect(value == (isRight ? 9 : nil))
            if !isRight, !bytes.isEmpty {
                #expect(throws: PostgresError.self) { try bytes.withUnsafeBytes { _ = try reader.row($0) } }
            }
        }
        var reader = CopyReader(types: [.int4])
        defer { reader.deallocate() }
        #expect(throws: PostgresError.self) {
            try [UInt8](repeating: 1, count: 30).withUnsafeBytes { _ = try reader.row($0) }
        }
    }
}
