import Foundation
import Howdah
import HowdahTesting
import Logging
import PQClient
import Testing

/// Errors say what happened: with the server's cause and without values, in the log as well.
@Suite(.timeLimit(.minutes(60))) struct RightErrorTests {
    /// Another user wrote the row and put its values back.
    @Test func aConflictOfTheVersionAloneSaysSo() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let error = await #expect(throws: SaveError.self) {
                try await store.container.perform { context in
                    try context.existingObject(with: id).visits = 5
                    try store.execute("UPDATE employee SET _version = _version + 1")
                    try context.save()
                }
            }
            #expect(error?.conflicts.first?.properties == [])
            let text = "\(error.map { "\($0)" } ?? "")"
            #expect(text.contains("has another version with the same values"), "\(text)")
        }
    }

    @Test func aMissingRightNamesItsTable() async throws {
        try await CompanyStore.with { store in
            _ = try await store.hire(1)
            try store.execute("REVOKE ALL ON employee FROM PUBLIC")
            let role = "reader_\(UUID().uuidString.prefix(8).lowercased())"
            try store.execute("CREATE ROLE \(role)")
            defer { try? store.execute("DROP ROLE \(role)") }
            let error = await #expect(throws: FetchError.self) {
                try await store.container.perform(isolation: .readCommitted) { context in
                    _ = try context.fetchRows(sql: "SET LOCAL ROLE \(name: role)")
                    _ = try context.fetch(Employee.self)
                }
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("permission denied for table employee"))
        }
    }

    /// What a trigger raises may quote values, whatever its SQLSTATE.
    @Test func whatATriggerRaisesIsNotRepeated() async throws {
        try await CompanyStore.with { store in
            try store.execute(
                """
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no %', NEW.first_name USING ERRCODE = '42501'; END $$;
                """)
            try store.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON employee FOR EACH ROW EXECUTE FUNCTION refuse()")
            let error = await #expect(throws: SaveError.self) {
                try await store.container.perform { context in
                    Employee(context: context).firstName = "Mata Hari"
                    try context.save()
                }
            }
            #expect(!"\(error.map { "\($0)" } ?? "")".contains("Mata Hari"))
        }
    }

    @Test func failingStatementsAreWarnings() async throws {
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        options.logger.logLevel = .info
        try await CompanyStore.with(options: options) { store in
            _ = try? await store.container.perform { try $0.fetchRows(Int64.self, sql: "SELECT nothing") }
        }
        let warnings = log.entries.filter {
            $0.level == .warning && $0.metadata["db.query.text"] == "SELECT nothing"
        }
        #expect(warnings.count == 1)
        #expect(
            warnings.first?.metadata["error.message"]?.contains("column \"nothing\" does not exist") == true)
    }

    @Test func settingAnEqualValueDropsNothing() async throws {
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        try await CompanyStore.with(options: options) { store in
            let id = try await store.hire(1)[0]
            try await store.container.perform { context in
                let employee = try context.existingObject(with: id)
                employee.firstName = employee.firstName + ""
            }
        }
        #expect(log.entries.filter { $0.message.contains("Unsaved changes") }.isEmpty)
    }

    /// A message that quotes a row, of a class whose messages are of names only as long as no value is known.
    @Test func whatQuotesAValueIsNotRepeated() async throws {
        let log = LogRecorder()
        var options = StoreOptions()
        options.logger = log.logger
        try await CompanyStore.with(options: options) { store in
            try await store.container.perform { context in
                Employee(context: context).firstName = "SECRET row"
                try context.save()
            }
            let queries: [SQLQuery] = [
                "SELECT count(to_tsquery(first_name)) FROM employee",
                "SELECT count(first_name::regclass) FROM employee",
                "SELECT pg_database_size(\("SECRET row")::text::name)",
            ]
            for query in queries {
                let error = await #expect(throws: FetchError.self) {
                    try await store.container.perform { _ = try $0.fetchRows(Int64.self, sql: query) }
                }
                #expect(!"\(error.map { "\($0)" } ?? "")".uppercased().contains("SECRET"))
            }
        }
        #expect(!log.entries.contains { "\($0.metadata["error"] ?? "")".uppercased().contains("SECRET") })
    }

    @Test(arguments: ["WITH", "UPDATE", "SELECT"]) func sqlThatWroteIsNotRepeated(_ verb: String) async throws
    {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let runs = Shared(0)
            try? await store.container.perform(retrying: .conflicts(upTo: 3)) { context in
                let run = runs.withLock {
                    $0 += 1; return $0
                }
                let employee = try context.existingObject(with: id)
                switch verb {
                case "WITH":
                    _ = try context.fetchRows(
                        Int64.self,
                        sql: """
                            WITH x AS (INSERT INTO project (_id, _version, title) VALUES (900001, 1, 'x') RETURNING _id)
                            SELECT _id FROM x
                            """)
                case "UPDATE": _ = try context.fetchRows(sql: "UPDATE project SET title = 'x' WHERE false")
                default: _ = try context.fetchRows(Int64.self, sql: "SELECT count(*) FROM project")
                }
                employee.visits += 1
                if run == 1 {
                    try store.execute("UPDATE employee SET _version = _version + 1 WHERE first_name = 'E0'")
                }
                try context.save()
            }
            #expect(runs.value == (verb == "WITH" ? 1 : 2))
        }
    }

    /// The order of the first save would be stored twice.
    @Test func aStoredSaveIsNotRepeated() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let runs = Shared(0)
            let error = await #expect(throws: SaveError.self) {
                try await store.container.perform(retrying: .conflicts(upTo: 5)) { context in
                    runs.withLock { $0 += 1 }
                    Employee(context: context).firstName = "Order"
                    try context.save()
                    let employee = try context.existingObject(with: id)
                    employee.visits += 1
                    try store.execute("UPDATE employee SET _version = _version + 1 WHERE first_name = 'E0'")
                    try context.save()
                }
            }
            #expect(runs.value == 1)
            #expect(
                error?.code == .conflict && error?.message.contains("Pass an isolation to perform") == true)
            #expect(try store.storedNames().filter { $0 == "Order" }.count == 1)
        }
    }

    @Test func withAnIsolationItIsRepeatedAsAWhole() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            let runs = Shared(0)
            try await store.container.perform(isolation: .readCommitted, retrying: .conflicts(upTo: 5)) {
                context in
                let run = runs.withLock {
                    $0 += 1; return $0
                }
                Employee(context: context).firstName = "Order"
                try context.save()
                let employee = try context.existingObject(with: id)
                employee.visits += 1
                if run == 1 {
                    try store.execute("UPDATE employee SET _version = _version + 1 WHERE first_name = 'E0'")
                }
                try context.save()
            }
            #expect(runs.value == 2)
            #expect(try store.storedNames().filter { $0 == "Order" }.count == 1)
        }
    }

    @Test func aRowWithoutAVersionIsAnError() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try store.execute("ALTER TABLE employee ALTER _version DROP NOT NULL")
            try store.execute("UPDATE employee SET _version = NULL")
            let fetched = await #expect(throws: FetchError.self) {
                try await store.container.perform { _ = try $0.fetch(Employee.self) }
            }
            #expect(fetched?.code == .schemaMismatch && fetched?.message.contains("NULL in _version") == true)
            let loaded = await #expect(throws: FetchError.self) {
                try await store.container.perform { _ = try $0.existingObject(with: id) }
            }
            #expect(loaded?.code == .schemaMismatch)
        }
    }

    /// Read as zero, the next save would store what nobody wrote.
    @Test func nullInARequiredColumnIsAnError() async throws {
        try await CompanyStore.with { store in
            let id = try await store.hire(1)[0]
            try store.execute("ALTER TABLE employee ALTER visits DROP NOT NULL")
            try store.execute("UPDATE employee SET visits = NULL")
            for isFault in [false, true] {
                let error = await #expect(throws: FetchError.self) {
                    try await store.container.perform { context in
                        if isFault {
                            _ = context.object(with: id).visits
                        } else {
                            _ = try context.fetch(FetchRequest<Employee>())
                        }
                    }
                }
                #expect(error?.code == .schemaMismatch && error?.message.contains("Employee.visits") == true)
            }
        }
    }

    @Test func noConnectionsIsAnError() async throws {
        var options = StoreOptions()
        options.maximumConnections = 0
        let error = await #expect(throws: StoreError.self) {
            try await PersistentContainer.open(
                "postgres://localhost/none", model: try Company.model(), options: options)
        }
        #expect(error?.code == .invalidOptions)
    }

    /// A date is kept in the microseconds of the store from the moment it is set.
    @Test func aDateEqualsItselfAfterSaveAndRefresh() async throws {
        try await CompanyStore.with { store in
            try await store.container.perform { context in
                for step in 0..<200 {
                    let given = Date(
                        timeIntervalSinceReferenceDate: 800_000_000.123_456_7 + Double(step) * 1.000_000_3)
                    let employee = Employee(context: context)
                    employee.firstName = "E"
                    employee.hiredAt = given
                    let set = employee.hiredAt
                    try context.save()
                    #expect(employee.hiredAt == set)
                    context.refresh(employee)
                    #expect(employee.hiredAt == set, "\(given.timeIntervalSinceReferenceDate)")
                }
            }
        }
    }
}
