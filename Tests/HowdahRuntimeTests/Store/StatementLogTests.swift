import Foundation
import Howdah
import HowdahTesting
import Logging
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite struct StatementLogTests {
    @Test func statementsAreLoggedWithDurationAndRowsAndWithoutValues() async throws {
        let secret = "xyzzy-secret"
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        var errors: [String] = []
        try await withStore(Company.model(), options: options) { container, sql in
            errors = try await container.perform { context in
                var errors: [String] = []
                for count in [3, 20, 200] {
                    for index in 0..<count {
                        let employee = Employee(context: context)
                        employee.firstName = "\(secret) \(index)"
                    }
                    try context.save()
                }
                let all = try context.fetch(
                    Employee.self, matching: .format("firstName BEGINSWITH %@", secret))
                #expect(all.count == 223)
                for employee in all.prefix(50) { employee.lastName = secret }
                try context.save()
                // Failures of every kind: the server quotes values in its own words.
                for name in [secret, secret] {
                    let department = Department(context: context)
                    department.name = name
                }
                if let error = saveError({ try context.save() }) { errors.append("\(error)") }
                context.rollback()
                try sql.rows("UPDATE employee SET last_name = '\(secret) theirs', _version = 9")
                all[0].lastName = secret + "mine"
                if let error = saveError({ try context.save() }) { errors.append("\(error)") }
                context.rollback()
                try sql.rows("ALTER TABLE employee ADD CHECK (last_name <> '\(secret)!')")
                let checked = Employee(context: context)
                checked.firstName = secret
                checked.lastName = secret + "!"
                if let error = saveError({ try context.save() }) { errors.append("\(error)") }
                return errors
            }
        }
        #expect(errors.count == 3)
        #expect(errors.allSatisfy { !$0.contains(secret) })
        let statements = log.entries.filter { $0.message.hasPrefix("statement") }
        #expect(statements.count > 10)
        for entry in log.entries {
            #expect(!"\(entry.message) \(entry.metadata)".contains(secret))
        }
        let fetch = try #require(
            statements.first {
                $0.metadata["db.query.text"]?.contains("FROM \"public\".\"employee\"") == true
                    && $0.metadata["db.query.text"]?.hasPrefix("SELECT") == true
            })
        #expect(fetch.metadata["db.response.returned_rows"] == "223")
        #expect(fetch.metadata["db.operation.name"] == "SELECT")
        #expect(fetch.metadata["db.collection.name"] == "employee")
        #expect(fetch.metadata["db.query.summary"] == "SELECT employee")
        #expect(fetch.metadata["db.system.name"] == "postgresql")
        #expect(
            statements.allSatisfy {
                $0.metadata["db.client.operation.duration"].flatMap(Double.init).map { $0 > 0 } == true
            })
        #expect(
            statements.contains {
                $0.metadata["db.response.status_code"] == "23505" && $0.metadata["error.type"] == "23505"
                    && $0.level == .warning
            })
        // COPY counts its rows too.
        #expect(
            statements.contains {
                $0.metadata["db.query.text"]?.hasPrefix("COPY") == true
                    && $0.metadata["howdah.affected_rows"] == "200"
            })
    }

    /// A program that ends its work has no failures in its log.
    @Test func cancelledStatementsAreNoFailures() async throws {
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        try await withStore(Company.model(), options: options) { container, sql in
            let work = Task {
                try await container.perform {
                    try $0.fetchRows(Int.self, sql: "SELECT 1::int8 FROM pg_sleep(60)")
                }
            }
            let isRunning =
                "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND wait_event = 'PgSleep'"
            while try sql.rows(isRunning).isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            work.cancel()
            await #expect(throws: (any Error).self) { _ = try await work.value }
        }
        let entry = try #require(
            log.entries.first {
                $0.message == "statement failed" && $0.metadata["db.query.text"]?.contains("pg_sleep") == true
            })
        #expect(entry.level == options.statementLevels.statement)
    }

    /// What another server says can have values in it, whatever its SQLSTATE.
    @Test func messagesOfOtherServersAreNotLogged() async throws {
        let secret = "xyzzy-secret"
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        try await withStore(Company.model(), options: options) { container, sql in
            try sql.rows("CREATE EXTENSION dblink")
            try sql.rows(
                """
                CREATE FUNCTION boom(s text) RETURNS bigint LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no %', s USING ERRCODE = '55000'; END $$
                """)
            try sql.rows(
                """
                CREATE FUNCTION far(s text) RETURNS bigint LANGUAGE sql AS $$ SELECT x FROM dblink(
                    'host=' || trim(both '"' from split_part(current_setting('unix_socket_directories'), ',', 1))
                    || ' port=' || current_setting('port') || ' user=' || current_user || ' dbname=' || current_database(),
                    'SELECT boom(' || quote_literal(s) || ')') AS t(x bigint) $$
                """)
            for name in ["boom", "far"] {
                let error = await #expect(throws: (any Error).self) {
                    try await container.perform { context in
                        _ =
                            try name == "far"
                            ? context.fetchRows(Int64.self, sql: "SELECT public.far(\(secret))")
                            : context.fetchRows(Int64.self, sql: "SELECT public.boom(\(secret))")
                    }
                }
                #expect("\(error.map { "\($0)" } ?? "")".contains("55000"))
                #expect(!"\(error.map { "\($0)" } ?? "")".contains(secret), "\(name)")
            }
        }
        #expect(log.entries.contains { "\($0.metadata)".contains("55000") })
        for entry in log.entries { #expect(!"\(entry.message) \(entry.metadata)".contains(secret)) }
    }

    @TaskLocal private static var request: String?

    /// A body of `perform` runs in the calling task, so a metadata provider finds the ids of its request.
    @Test func statementsHaveTheIDsOfTheCallingTask() async throws {
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger(
            providing: Logger.MetadataProvider { Self.request.map { ["request_id": "\($0)"] } ?? [:] })
        try await withStore(Company.model(), options: options) { container, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        try await Self.$request.withValue("request \(number)") {
                            _ = try await container.perform { context in
                                try context.fetch(
                                    Employee.self,
                                    matching: .format(number % 2 == 0 ? "visits > 1" : "visits < 1")
                                ).count
                            }
                            let background = container.newBackgroundContext()
                            _ = try await background.perform { try $0.count(Room.self) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            _ = try await container.perform { try $0.count(Department.self) }
        }
        let statements = log.entries.filter { $0.metadata["db.collection.name"] != nil }
        for number in 0..<4 {
            let own = statements.filter { $0.metadata["request_id"] == "request \(number)" }
            #expect(own.map { $0.metadata["db.query.summary"] } == ["SELECT employee", "SELECT room"])
            let text = own.first?.metadata["db.query.text"] ?? ""
            #expect(text.contains(number % 2 == 0 ? " > $1" : " < $1"))
        }
        let alone = statements.filter { $0.metadata["request_id"] == nil }
        #expect(alone.map { $0.metadata["db.collection.name"] } == ["department"])
    }

    @Test func levelsCanBeChosen() async throws {
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        options.statementLevels.statement = .trace
        options.statementLevels.failure = .error
        try await withStore(Company.model(), options: options) { container, _ in
            _ = try? await container.perform { try $0.fetchRows(Int64.self, sql: "SELECT 1::bigint / 0") }
        }
        let statements = log.entries.filter { $0.message.hasPrefix("statement") }
        #expect(!statements.isEmpty)
        #expect(statements.allSatisfy { $0.level == .error })
        #expect(statements.contains { $0.metadata["error.type"] == "22012" })
    }

    @Test func aSlowTextIsANoticePerMinute() async throws {
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        options.slowStatement = .zero
        try await withStore(Company.model(), options: options) { container, _ in
            for _ in 0..<3 { _ = try await container.perform { try $0.count(Employee.self) } }
            _ = try await container.perform { try $0.count(Room.self) }
            try await container.perform(isolation: .readCommitted) { context in
                Department(context: context).name = "A"
                try context.save()
            }
        }
        let slow = log.entries.filter { $0.message == "slow statement" }
        #expect(slow.allSatisfy { $0.level == .notice })
        for collection in ["employee", "room"] {
            let found = slow.filter { $0.metadata["db.collection.name"] == collection }
            #expect(found.count { $0.metadata["db.operation.name"] == "SELECT" } == 1)
        }
        // A slow batch is one entry with all of its texts.
        let batch = try #require(slow.first { $0.metadata["db.query.summary"] == "INSERT department" })
        #expect(batch.metadata["db.query.text"]?.contains("INSERT INTO \"public\".\"department\"") == true)
        #expect(batch.metadata["db.query.text"]?.contains("; ") == true)
        let start = ContinuousClock.now
        let texts = SlowStatements()
        #expect(texts.isDue("a", at: start))
        #expect(!texts.isDue("a", at: start + .seconds(59)))
        #expect(texts.isDue("b", at: start + .seconds(59)))
        #expect(texts.isDue("a", at: start + .seconds(60)))
        #expect(!texts.isDue("a", at: start + .seconds(119)))
        let isInvalid = StoreOptions.withSlowStatement(.seconds(-1))
        await #expect(throws: StoreError.self) {
            _ = try await PersistentContainer.open(
                "postgres:///none", model: Company.model(), options: isInvalid)
        }
    }
}

extension StoreOptions {
    fileprivate static func withSlowStatement(_ time: Duration) -> StoreOptions {
        var options = StoreOptions()
        options.slowStatement = time
        return options
    }
}
