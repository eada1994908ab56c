import Foundation
import SeededRandom
import Testing

@testable import PQClient

@Suite struct ConnectionTests {
    @Test func failedConnectionsNameTheReasonAndLeakNoDescriptor() throws {
        func descriptors() -> Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        }
        _ = try TestCluster.connect()
        let before = descriptors()
        for _ in 0..<50 {
            let error = try #require(throws: PostgresError.self) {
                try TestCluster.connect { $0["dbname"] = "no_such_database" }
            }
            #expect(error.code == .connectionFailed && error.phase == .connect)
            #expect(error.message.contains("no_such_database"))
        }
        // Other tests run at the same time, each with a few descriptors.
        #expect(descriptors() - before < 40)
    }

    @Test func severalHostsAreTriedInOrder() throws {
        let good = try TestCluster.configuration()["host"] ?? ""
        let connection = try TestCluster.connect { $0["host"] = "/nonexistent,\(good)" }
        #expect(connection.isUsable)
        let error = try #require(throws: PostgresError.self) {
            try TestCluster.connect { $0["host"] = "/nonexistent,/absent" }
        }
        #expect(error.message.contains("/nonexistent") && error.message.contains("/absent"))
        let standby = try TestCluster.connect {
            $0["host"] = "\(good),\(good)"
            $0["target_session_attrs"] = "prefer-standby"
        }
        #expect(standby.isUsable)
    }

    @Test func silentHostsTimeOut() throws {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        let directory = FileManager.default.temporaryDirectory.path + "/pqsilent-\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: Array("\(directory)/.s.PGSQL.5432".utf8))
        }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(status == 0 && listen(listener, 5) == 0)
        let start = ContinuousClock.now
        let error = try #require(throws: PostgresError.self) {
            try TestCluster.connect {
                $0["host"] = directory
                $0.connectTimeout = .milliseconds(200)
            }
        }
        #expect(error.code == .connectionFailed && error.message.contains("did not answer"))
        #expect(start.duration(to: .now) < .seconds(60))
    }

    @Test func configurationKeepsKeywordsAndHidesThePassword() throws {
        let configuration = try ConnectionConfiguration(
            "postgres://ada:s3cret@a:1,b:2/company?target_session_attrs=read-write&connect_timeout=3&keepalives_idle=77"
        )
        #expect(configuration["host"] == "a,b" && configuration["port"] == "1,2")
        #expect(configuration.connectTimeout == .seconds(3))
        #expect(!"\(configuration) \(String(reflecting: configuration))".contains("s3cret"))
        let attempts = configuration.attempts()
        #expect(attempts.map { $0["host"] } == ["a", "b"] && attempts.map { $0["port"] } == ["1", "2"])
        #expect(attempts.allSatisfy { $0["keepalives_idle"] == "77" && $0["tcp_user_timeout"] == "10000" })
        #expect(attempts.allSatisfy { $0["client_encoding"] == "UTF8" && $0["password"] == "s3cret" })
        for bad in [
            "host=a nonsense", "bogus=1 password=s3cret", "client_encoding=LATIN1", "connect_timeout=soon",
        ] {
            let error = try #require(throws: PostgresError.self) { try ConnectionConfiguration(bad) }
            #expect(error.code == .invalidConfiguration && !error.description.contains("s3cret"))
        }
    }

    @Test func everyFieldOfAnErrorIsKept() throws {
        let connection = try TestCluster.connect()
        try connection.executeScript(
            "CREATE TEMP TABLE person (email text, CONSTRAINT person_email UNIQUE (email))")
        let sql = "INSERT INTO person VALUES ($1)"
        var parameters = Parameters()
        try parameters.append("ada@example.org")
        _ = try connection.query(sql, parameters)
        let error = try #require(throws: PostgresError.self) { try connection.query(sql, parameters) }
        #expect(error.code == .server && error.phase == .execute && !error.mayHaveCommitted)
        #expect(error.sqlState == SQLState.uniqueViolation && error.severity == "ERROR")
        #expect(
            error.table == "person" && error.constraint == "person_email"
                && error.schema?.hasPrefix("pg_temp") == true)
        #expect(
            error.detail?.contains("ada@example.org") == true && error.statement == sql && error.source != nil
        )
        #expect(!error.description.contains("ada@") && error.description.contains("person_email"))
        #expect(error.debugDescription.contains("ada@"))

        let syntax = try #require(throws: PostgresError.self) { try connection.query("SELECT 1 FORM x") }
        #expect(syntax.phase == .prepare && syntax.position == 15 && syntax.sqlState == SQLState.syntaxError)
        let notNull = try #require(throws: PostgresError.self) {
            try connection.executeScript("CREATE TEMP TABLE n (c int NOT NULL); INSERT INTO n VALUES (NULL)")
        }
        #expect(notNull.column == "c" && notNull.sqlState == SQLState.notNullViolation)
        let function = try #require(throws: PostgresError.self) {
            try connection.executeScript(
                "DO $$ BEGIN RAISE EXCEPTION 'no' USING HINT = 'try', DATATYPE = 'x'; END $$")
        }
        #expect(
            function.hint == "try" && function.dataType == "x"
                && function.context?.contains("PL/pgSQL") == true)
        #expect(connection.isUsable && connection.transactionStatus == .idle)
    }

    @Test func transactionsAndSavepoints() throws {
        let connection = try TestCluster.connect()
        try connection.executeScript("CREATE TEMP TABLE t (n int8)")
        #expect(connection.transactionStatus == .idle)
        #expect(throws: PostgresError.self) { try connection.commit() }
        #expect(throws: PostgresError.self) { try connection.savepoint("s") }
        try connection.rollback()
        for isolation in Isolation.allCases {
            try connection.begin(isolation: isolation)
            #expect(connection.transactionStatus == .inTransaction)
            let shown = try connection.query("SHOW transaction_isolation").scalar { $0.string() }
            #expect(shown == isolation.rawValue.lowercased())
            try connection.rollback()
        }
        try connection.begin()
        #expect(throws: PostgresError.self) { try connection.begin() }
        _ = try connection.query("INSERT INTO t VALUES (1)")
        try connection.savepoint("a \"b\"")
        #expect(throws: PostgresError.self) { try connection.query("INSERT INTO t VALUES (1/0)") }
        #expect(connection.transactionStatus == .failed)
        let refused = try #require(throws: PostgresError.self) {
            try connection.query("INSERT INTO t VALUES (3)")
        }
        #expect(refused.sqlState == SQLState.inFailedTransaction)
        try connection.rollback(toSavepoint: "a \"b\"")
        #expect(connection.transactionStatus == .inTransaction)
        try connection.release(savepoint: "a \"b\"")
        try connection.commit()
        #expect(try connection.query("SELECT count(*) FROM t").scalar(\.int64) == 1)

        try connection.begin()
        #expect(throws: PostgresError.self) { try connection.query("SELECT 1/0") }
        let error = try #require(throws: PostgresError.self) { try connection.commit() }
        #expect(
            error.sqlState == SQLState.inFailedTransaction && error.phase == .commit
                && !error.mayHaveCommitted)
        #expect(connection.transactionStatus == .idle)
        try connection.begin(readOnly: true)
        let readOnly = try #require(throws: PostgresError.self) { try connection.query("CREATE TABLE x ()") }
        #expect(readOnly.sqlState == SQLState.readOnlyTransaction)
    }

    @Test func noticesAndObserver() throws {
        let connection = try TestCluster.connect()
        var notices: [Notice] = []
        connection.noticeHandler = { notices.append($0) }
        try connection.executeScript("DO $$ BEGIN RAISE WARNING 'careful'; END $$")
        #expect(notices.map(\.message) == ["careful"] && notices[0].severity == "WARNING")
        var events: [StatementEvent] = []
        connection.observer = { events.append($0) }
        var parameters = Parameters()
        try parameters.append("secret")
        _ = try connection.query("SELECT $1 FROM generate_series(1, 3)", parameters)
        try connection.begin()
        var batch = Batch()
        batch.add("SELECT 1")
        batch.add("SELECT 1/0")
        batch.add("SELECT 2")
        #expect(throws: PostgresError.self) { try connection.run(batch) }
        try connection.rollback()
        #expect(events.map(\.kind) == [.statement, .transaction, .statement, .statement, .transaction])
        #expect(events.map(\.rows) == [3, 0, 1, 0, 0])
        #expect(events.map(\.batchIndex) == [nil, nil, 0, 1, nil])
        #expect(events.map { $0.error != nil } == [false, false, false, true, false])
        #expect(!"\(events)".contains("secret"))
    }

    @Test func callsDoNotNestAndCopyNeedsItsOwnCall() throws {
        let connection = try TestCluster.connect()
        try connection.executeScript("CREATE TEMP TABLE t (n int8)")
        let nested = try #require(throws: PostgresError.self) {
            try connection.copyIn("COPY t FROM STDIN (FORMAT binary)") { _ in
                _ = try connection.query("SELECT 1")
            }
        }
        #expect(nested.code == .misuse && connection.isUsable)
        for sql in ["COPY t FROM STDIN", "COPY (SELECT 1) TO STDOUT"] {
            let other = try TestCluster.connect()
            try other.executeScript("CREATE TEMP TABLE t (n int8)")
            let error = try #require(throws: PostgresError.self) { try other.query(sql, cached: false) }
            #expect(error.code == .misuse)
        }
        connection.close()
        connection.close()
        let closed = try #require(throws: PostgresError.self) { try connection.query("SELECT 1") }
        #expect(
            closed.code == .connectionLost && !closed.mayHaveCommitted
                && connection.transactionStatus == .unknown)
    }

    @Test func identifiersAndLiteralsSurviveTheServer() throws {
        let connection = try TestCluster.connect()
        var random = SeededGenerator(seed: 0x5EED_0002)
        let pieces = ["'", "\"", "\\", "--", "/*", ";", "a", "é", "👍", "$1", "\n", "%"]
        for _ in 0..<100 {
            let text = (0..<Int.random(in: 1...10, using: &random)).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }.joined()
            let result = try connection.query(
                "SELECT \(SQLLiteral.string(text)) AS \(SQLIdentifier.quoted(text))", cached: false)
            #expect(result.scalar { $0.string() } == text && result.columns[0].name == text)
            try connection.executeScript("SET standard_conforming_strings = off")
            let old = try connection.query("SELECT \(SQLLiteral.string(text))::text", cached: false)
            #expect(old.scalar { $0.string() } == text)
            try connection.executeScript("SET standard_conforming_strings = on")
        }
        let uuid = UUID()
        let bytes = Data([0, 39, 92, 255])
        let decimal = try #require(Decimal(string: "-12345678901234567890.123"))
        let literals =
            "SELECT \(SQLLiteral.uuid(uuid)), \(SQLLiteral.data(bytes)), \(SQLLiteral.decimal(decimal)), "
            + "\(SQLLiteral.double(0.1)), \(SQLLiteral.float(0.1)), \(SQLLiteral.double(-.infinity)), "
            + "\(SQLLiteral.integer(-5 as Int16)), \(SQLLiteral.boolean(true)), \(SQLLiteral.null)"
        let result = try connection.query(literals)
        try result.forEachRow { row in
            #expect(row[0].uuid == uuid && row[1].data() == bytes)
            let answer = try row[2].decimal()
            #expect(answer == decimal)
            #expect(row[3].double == 0.1 && row[4].float == 0.1 && row[5].double == -.infinity)
            #expect(row[6].int32 == -5 && row[7].bool && row[8].isNull)
        }
    }
}
