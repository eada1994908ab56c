import Foundation
import Testing

@testable import PQClient

@Suite struct StatementTests {
    private func preparedCount(_ connection: Connection) throws -> Int64? {
        try connection.query(
            "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'howdah%'", cached: false
        ).scalar(\.int64)
    }

    @Test func oneTextIsPreparedOnce() throws {
        let connection = try TestCluster.connect()
        for number in 1...20 {
            var parameters = Parameters()
            parameters.append(Int64(number))
            #expect(try connection.query("SELECT $1 * 2", parameters).scalar(\.int64) == Int64(2 * number))
        }
        #expect(try preparedCount(connection) == 1)
        var parameters = Parameters()
        parameters.append(.float8) { $0.double(1.5) }
        #expect(try connection.query("SELECT $1 * 2", parameters).scalar(\.double) == 3)
        #expect(try preparedCount(connection) == 2)
        _ = try connection.query("SELECT 1", cached: false)
        #expect(try preparedCount(connection) == 2)
    }

    @Test("Texts that only Swift takes for the same are two statements")
    func composedLetters() throws {
        let connection = try TestCluster.connect()
        for _ in 0..<3 {
            let short = try connection.query("SELECT pg_catalog.octet_length('\u{E9}')").scalar(\.int32)
            let long = try connection.query("SELECT pg_catalog.octet_length('e\u{301}')").scalar(\.int32)
            #expect(short == 2 && long == 3)
        }
        #expect(try preparedCount(connection) == 2)
    }

    @Test func theLeastRecentlyUsedStatementsLeave() throws {
        let connection = try TestCluster.connect { $0.statementCacheSize = 16 }
        for number in 0..<100 {
            _ = try connection.query("SELECT \(number)")
            _ = try connection.query("SELECT 'favourite'")
            #expect(try #require(try preparedCount(connection)) <= 16)
        }
        let names = try connection.query(
            "SELECT statement FROM pg_prepared_statements WHERE name LIKE 'howdah%'", cached: false
        ).map { $0[0].string() }
        #expect(names.contains("SELECT 'favourite'") && names.contains("SELECT 99"))
        var batch = Batch()
        for number in 1000..<1100 { batch.add("SELECT \(number)") }
        let results = try connection.run(batch)
        #expect(results.map { $0.scalar(\.int32) } == (1000..<1100).map { Int32($0) })
        #expect(try #require(try preparedCount(connection)) <= 16)
        let without = try TestCluster.connect { $0.statementCacheSize = 0 }
        for _ in 0..<3 { _ = try without.query("SELECT 1") }
        #expect(try preparedCount(without) == 0)
    }

    @Test func staleStatementsArePreparedAgainOutsideOfTransactions() throws {
        let connection = try TestCluster.connect()
        try connection.executeScript("CREATE TEMP TABLE t (a int4); INSERT INTO t VALUES (1)")
        let sql = "SELECT * FROM t"
        #expect(try connection.query(sql).columnCount == 1)
        try connection.executeScript("ALTER TABLE t ADD COLUMN b text")
        #expect(try connection.query(sql).columnCount == 2)
        try connection.executeScript("DEALLOCATE ALL")
        #expect(try connection.query(sql).columnCount == 2)

        try connection.executeScript("ALTER TABLE t ADD COLUMN c text")
        try connection.begin()
        let error = try #require(throws: PostgresError.self) { try connection.query(sql) }
        #expect(error.sqlState == SQLState.featureNotSupported && connection.transactionStatus == .failed)
        try connection.rollback()
        try connection.begin()
        #expect(try connection.query(sql).columnCount == 3)
        try connection.rollback()

        _ = try connection.query("DISCARD ALL")
        #expect(throws: Never.self) { try connection.query("SELECT 5") }
        let unsupported = try #require(throws: PostgresError.self) {
            try connection.query("CREATE TEMP TABLE u (a int4) PARTITION BY LIST (a, b)")
        }
        #expect(unsupported.code == .server && connection.isUsable)
    }

    @Test func aBatchLargerThanAnyBufferCannotDeadlock() throws {
        let connection = try TestCluster.connect()
        let payload = String(repeating: "payload ", count: 1000)
        var batch = Batch()
        for number in 0..<5000 {
            var parameters = Parameters()
            parameters.append(Int64(number))
            try parameters.append(payload)
            batch.add("SELECT $1, $2 || $2", parameters, cached: number % 7 != 0)
        }
        let results = try connection.run(batch)
        #expect(results.count == 5000)
        for (number, result) in results.enumerated() {
            result.forEachRow { row in
                #expect(row[0].int64 == Int64(number) && row[1].bytes.count == 2 * payload.utf8.count)
            }
        }
        #expect(connection.isUsable && connection.transactionStatus == .idle)
    }

    @Test(arguments: [true, false])
    func anErrorInTheMiddleKeepsTheConnection(inTransaction: Bool) throws {
        let connection = try TestCluster.connect()
        try connection.executeScript("CREATE TEMP TABLE t (n int8 PRIMARY KEY, filler text)")
        let filler = String(repeating: "x", count: 2000)
        var batch = Batch()
        for number in 0..<5000 {
            var parameters = Parameters()
            parameters.append(Int64(number == 2500 ? 17 : number))
            try parameters.append(filler)
            batch.add("INSERT INTO t VALUES ($1, $2)", parameters)
        }
        batch.add("SELECT 'never prepared'")
        if inTransaction { try connection.begin() }
        let error = try #require(throws: PostgresError.self) { try connection.run(batch) }
        #expect(error.batchIndex == 2500 && error.sqlState == SQLState.uniqueViolation)
        #expect(error.statement == "INSERT INTO t VALUES ($1, $2)" && !error.mayHaveCommitted)
        #expect(connection.transactionStatus == (inTransaction ? .failed : .idle))
        try connection.rollback()
        #expect(try connection.query("SELECT count(*) FROM t").scalar(\.int64) == 0)
        #expect(try connection.query("SELECT 'never prepared'").rowCount == 1)
    }

    @Test func batchErrorsOfEveryKind() throws {
        let connection = try TestCluster.connect()
        func failure(_ statements: [String]) throws -> PostgresError {
            var batch = Batch()
            for sql in statements { batch.add(sql) }
            return try #require(throws: PostgresError.self) { try connection.run(batch) }
        }
        let syntax = try failure(["SELECT 1", "SELEC 2", "SELECT 3"])
        #expect(syntax.batchIndex == 1 && syntax.phase == .prepare && syntax.statement == "SELEC 2")
        #expect(try connection.query("SELECT 3").scalar(\.int32) == 3)
        let nul = try failure(["SELECT 1", "SELECT '\0'"])
        #expect(nul.code == .invalidValue && nul.batchIndex == 1)
        try connection.begin()
        _ = try failure(["SELECT 1/0"])
        let commit = try failure(["COMMIT"])
        #expect(
            commit.sqlState == SQLState.inFailedTransaction && commit.phase == .commit
                && commit.batchIndex == 0)
        #expect(try connection.run(Batch()).isEmpty)
        for sql in ["COPY (SELECT 1) TO STDOUT", "COPY pg_class FROM STDIN"] {
            var batch = Batch()
            batch.add("SELECT 1")
            batch.add(sql)
            let closed = try TestCluster.connect()
            let copy = try #require(throws: PostgresError.self) { try closed.run(batch) }
            #expect(copy.batchIndex == 1 && copy.statement == sql)
        }
        let other = try TestCluster.connect()
        var batch = Batch()
        batch.add("BEGIN")
        batch.add("SELECT 1")
        batch.add("COMMIT")
        #expect(try other.run(batch).map(\.commandTag) == ["BEGIN", "SELECT 1", "COMMIT"])
        #expect(other.transactionStatus == .idle)
    }

    @Test func limitsAreRefusedBeforeSending() throws {
        let connection = try TestCluster.connect()
        var many = Parameters()
        for number in 0..<65_536 { many.append(Int64(number)) }
        #expect(
            try #require(throws: PostgresError.self) { try connection.query("SELECT 1", many) }.code
                == .invalidValue)
        #expect(connection.isUsable)
    }

    @Test(arguments: [
        ("COMMIT", StatementKind.commit), (" -- x\n /* a /* b */ */ commit", .commit), ("END;", .commit),
        ("PREPARE TRANSACTION 'x'", .commit), ("PREPARE x AS SELECT 1", .other), ("BEGIN", .begin),
        ("start transaction", .begin), ("ROLLBACK TO a", .rollback), ("ABORT", .rollback), ("", .other),
        ("DISCARD ALL", .forgetsStatements), ("SELECT 'COMMIT'", .other), ("/* open", .other),
        ("committed", .other),
    ])
    func statementKinds(sql: String, kind: StatementKind) {
        #expect(StatementKind(sql) == kind)
    }

    @Test func copyOfManyRows() throws {
        let connection = try TestCluster.connect()
        try connection.executeScript("CREATE TEMP TABLE t (n int8, s text, d timestamptz, b bytea)")
        let sql = "COPY t (n, s, d, b) FROM STDIN (FORMAT binary)"
        let date = try Timestamp.rounded(Date(timeIntervalSinceReferenceDate: 1_234.567_89))
        let filler = String(repeating: "é", count: 100)
        let copied = try connection.copyIn(sql) { rows in
            for number in 0..<10_000 {
                try rows.row(columns: 4) { cells in
                    cells.int64(Int64(number))
                    if number % 3 == 0 { cells.null() } else { try cells.string(filler + "\(number)") }
                    try cells.date(date)
                    cells.data(Data([UInt8(truncatingIfNeeded: number)]))
                }
            }
        }
        #expect(copied == 10_000)
        let rows = try connection.query("SELECT n, s, d, b FROM t ORDER BY n")
        #expect(rows.rowCount == 10_000)
        rows.forEachRow { row in
            let number = Int(row[0].int64)
            #expect(row[1].isNull == (number % 3 == 0))
            if !row[1].isNull { #expect(row[1].string() == filler + "\(number)") }
            #expect(row[2].date == date && row[3].data() == Data([UInt8(truncatingIfNeeded: number)]))
        }
        #expect(try connection.copyIn(sql) { _ in } == 0)
    }

    @Test func copyThatFails() throws {
        struct Stop: Error {}
        let connection = try TestCluster.connect()
        try connection.executeScript("CREATE TEMP TABLE t (n int8 CHECK (n < 5000))")
        let sql = "COPY t FROM STDIN (FORMAT binary)"
        try connection.begin()
        try connection.savepoint("s")
        #expect(throws: Stop.self) {
            try connection.copyIn(sql) { rows in
                for number in 0..<20_000 { try rows.row(columns: 1) { $0.int64(Int64(number % 10)) } }
                throw Stop()
            }
        }
        #expect(connection.transactionStatus == .failed)
        try connection.rollback(toSavepoint: "s")
        let check = try #require(throws: PostgresError.self) {
            try connection.copyIn(sql) { rows in
                for number in 0..<50_000 { try rows.row(columns: 1) { $0.int64(Int64(number)) } }
            }
        }
        #expect(check.sqlState == SQLState.checkViolation && connection.transactionStatus == .failed)
        try connection.rollback()
        for wrong in ["COPY t FROM STDIN", "COPY missing FROM STDIN (FORMAT binary)"] {
            #expect(throws: PostgresError.self) { try connection.copyIn(wrong) { _ in } }
            #expect(connection.isUsable)
        }
        let misuse = try #require(throws: PostgresError.self) {
            try connection.copyIn(sql) { try $0.row(columns: 2) { $0.int64(1) } }
        }
        #expect(misuse.code == .misuse)
        // A row that throws can be left out.
        let copied = try connection.copyIn(sql) { rows in
            try rows.row(columns: 1) { $0.int64(1) }
            try? rows.row(columns: 1) { _ in throw Stop() }
            try rows.row(columns: 1) { $0.int64(2) }
        }
        #expect(copied == 2)
        #expect(throws: PostgresError.self) { try connection.copyIn("SELECT 1") { _ in } }
    }
}
