import Foundation
import Howdah
import HowdahTesting
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

@Suite struct OpeningTests {
    private static func withEmptyDatabase(_ body: (PlainSQL) async throws -> Void) async throws {
        let database = try EphemeralPostgres.shared().createDatabase()
        do {
            try await body(PlainSQL(url: database.url))
        } catch {
            try? database.drop()
            throw error
        }
        try database.drop()
    }

    private static func openingError(_ url: String, _ model: ManagedObjectModel, schema: String = "public")
        async -> StoreError?
    {
        var options = StoreOptions()
        options.schemaName = schema
        options.connectionWait = .seconds(60)
        do {
            let container = try await PersistentContainer.open(url, model: model, options: options)
            await container.close()
            return nil
        } catch {
            return error as? StoreError
        }
    }

    private static let everything = """
        SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname NOT LIKE 'pg_%' AND n.nspname <> 'information_schema' ORDER BY 1
        """

    @Test func anEmptyDatabaseBecomesAStoreInOneTransaction() async throws {
        try await Self.withEmptyDatabase { sql in
            let model = try Company.model()
            // DDL that fails late, at somebody else's table, leaves nothing of the store.
            try sql.rows("CREATE TABLE room (mine integer)")
            let error = try #require(await Self.openingError(sql.url, model))
            #expect(error.code == .notAStore && error.databaseError?.sqlState == SQLState.duplicateTable)
            #expect(try sql.rows(Self.everything) == [["room"]])
            try sql.rows("DROP TABLE room")
            // The same when it is cut off, in the middle of the DDL.
            try sql.rows(
                "CREATE FUNCTION cut() RETURNS event_trigger LANGUAGE plpgsql AS "
                    + "'BEGIN IF to_regclass(''employee'') IS NOT NULL THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; END'"
            )
            try sql.rows("CREATE EVENT TRIGGER cut ON ddl_command_end EXECUTE FUNCTION cut()")
            let lost = try #require(await Self.openingError(sql.url, model))
            #expect(lost.code == .database && lost.databaseError?.code == .connectionLost)
            #expect(try sql.rows(Self.everything) == [])
            try sql.rows("DROP EVENT TRIGGER cut")
            #expect(await Self.openingError(sql.url, model) == nil)
            #expect(try sql.value("SELECT count(*)::text FROM _howdah_store") == "1")
            // All of it belongs to one transaction.
            #expect(
                try sql.value(
                    "SELECT count(DISTINCT xmin::text)::text FROM pg_class WHERE relname IN ('employee', 'room', '_howdah_store')"
                ) == "1")
        }
    }

    @Test func aRoleWithDMLOnlyOpensAndUsesTheStoreWithoutDDL() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let sql = PlainSQL(url: database.url)
            let role = "clerk_of_\(database.name)"
            try sql.rows("CREATE ROLE \(role) LOGIN")
            try sql.rows("REVOKE ALL ON SCHEMA public FROM PUBLIC")
            try sql.rows("GRANT USAGE ON SCHEMA public TO \(role)")
            try sql.rows("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)")
            try sql.rows("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO \(role)")
            try sql.rows(
                "CREATE FUNCTION no_ddl() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''DDL was sent''; END'"
            )
            try sql.rows("CREATE EVENT TRIGGER no_ddl ON ddl_command_start EXECUTE FUNCTION no_ddl()")
            let log = LogRecorder()
            var options = StoreOptions()
            options.logger = log.logger
            let container = try await PersistentContainer.open(
                database.url.replacing("user=postgres", with: "user=\(role)"), model: Company.model(),
                options: options)
            try await container.perform { context in
                let department = Department(context: context)
                department.name = "x"
                for index in 0..<200 {
                    let employee = Employee(context: context)
                    employee.firstName = "\(index)"
                    employee.department = department
                }
                try context.save()
                let employees = try context.fetch(Employee.self)
                for employee in employees.prefix(100) { employee.visits += 1 }
                employees[150].lastName = "y"
                context.delete(department)
                try context.save()
                for employee in employees { context.delete(employee) }
                try context.save()
            }
            await container.close()
            let statements = log.entries.compactMap { $0.metadata["db.query.text"] }
            #expect(statements.count > 5)
            #expect(statements.allSatisfy { !$0.contains("CREATE") && !$0.contains("ALTER") })
            #expect(try sql.value("SELECT usename::text FROM pg_user WHERE usename = '\(role)'") == role)
            #expect(try sql.value("SELECT count(*)::text FROM employee") == "0")
            try sql.rows("DROP EVENT TRIGGER no_ddl")
            try sql.rows("DROP OWNED BY \(role)")
            try sql.rows("DROP ROLE \(role)")
        }
    }

    @Test func aRoleThatMayNotCreateIsToldSo() async throws {
        try await Self.withEmptyDatabase { sql in
            let role = "nobody_\(UInt32.random(in: 0...UInt32.max))"
            try sql.rows("CREATE ROLE \(role) LOGIN")
            try sql.rows("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
            let error = await Self.openingError(
                sql.url.replacing("user=postgres", with: "user=\(role)"), try Company.model())
            #expect(
                error?.code == .database && error?.databaseError?.sqlState == SQLState.insufficientPrivilege)
            #expect(error?.message.contains("owner of the schema") == true)
            try sql.rows("DROP ROLE \(role)")
        }
    }

    @Test func anotherModelIsRefusedNamingBothChecksums() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let other = try ManagedObjectModel(entities: [
                EntityDescription("Other", properties: [.attribute("a", .string)])
            ])
            let error = try #require(await Self.openingError(database.url, other))
            #expect(error.code == .incompatibleModel)
            #expect(error.message.contains(other.versionChecksum))
            #expect(error.message.contains(try Company.model().versionChecksum))
            // The store is as it was.
            #expect(await Self.openingError(database.url, try Company.model()) == nil)
        }
    }

    @Test func anotherModelIsToldByWhatDiffers() async throws {
        let stored = try ManagedObjectModel(entities: [
            EntityDescription("Old"),
            EntityDescription(
                "Kept", properties: [.attribute("a", .string), .attribute("gone", .uuid)],
                userInfo: ["note": "one"]),
        ])
        try await withTestDatabase(for: stored) { database in
            let other = try ManagedObjectModel(entities: [
                EntityDescription(
                    "Kept",
                    properties: [.attribute("a", .integer32, optional: false), .attribute("here", .uuid)],
                    fetchIndexes: [.init("i", on: "a")], userInfo: ["note": "two"]),
                EntityDescription("Young"),
            ])
            let error = try #require(await Self.openingError(database.url, other))
            let sentences = [
                "Kept differs in fetchIndexes", "Kept.a differs in isOptional, type",
                "Kept.gone is in the store only",
                "Kept.here is in the model only", "the entity Old is in the store only",
                "the entity Young is in the model only",
            ]
            #expect(error.message.contains("(\(sentences.joined(separator: "; ")))"), "\(error)")
        }
    }

    @Test func manyOpenAnEmptyDatabaseAtOnce() async throws {
        try await Self.withEmptyDatabase { sql in
            let model = try Company.model()
            let identifiers = try await withThrowingTaskGroup(of: UUID.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        let container = try await PersistentContainer.open(sql.url, model: model)
                        await container.close()
                        return container.storeIdentifier
                    }
                }
                return try await group.reduce(into: Set<UUID>()) { $0.insert($1) }
            }
            #expect(identifiers.count == 1)
            #expect(try sql.value("SELECT count(*)::text FROM _howdah_store") == "1")
        }
    }

    @Test(arguments: ["a \"quoted\" schema", "Robert'); DROP TABLE employee;--", "größer", "select"])
    func aStoreLivesInAnySchema(name: String) async throws {
        var options = StoreOptions()
        options.schemaName = name
        try await Self.withEmptyDatabase { sql in
            // Two stores side by side do not see each other.
            for round in 0..<2 {
                let container = try await PersistentContainer.open(
                    sql.url, model: Company.model(), options: options)
                try await container.perform { context in
                    let department = Department(context: context)
                    department.name = "\(round)"
                    for index in 0..<10 {
                        let employee = Employee(context: context)
                        employee.firstName = "\(index)"
                        employee.department = department
                        let project = Project(context: context)
                        project.title = "\(index)"
                        project.members.insert(employee)
                    }
                    try context.save()
                    for employee in try context.fetch(Employee.self) { employee.visits += 1 }
                    try context.save()
                    #expect(
                        try context.fetch(Department.self).map { $0.employees.count }
                            == Array(repeating: 10, count: round + 1))
                    for project in try context.fetch(Project.self) {
                        #expect(project.members.objects.count == 1)
                    }
                }
                await container.close()
            }
            let plain = try await PersistentContainer.open(sql.url, model: Company.model())
            #expect(try await plain.perform { try $0.fetch(Department.self).count } == 0)
            await plain.close()
        }
    }

    @Test func aDatabaseThatIsNotUTF8IsRefused() async throws {
        let server = try EphemeralPostgres.shared()
        let admin = PlainSQL(url: server.url())
        let name = "latin_\(UInt32.random(in: 0...UInt32.max))"
        try admin.rows("CREATE DATABASE \(name) ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        let error = await Self.openingError(server.url(database: name), try Company.model())
        try admin.rows("DROP DATABASE \(name) WITH (FORCE)")
        #expect(error?.code == .unsuitableDatabase)
        #expect(error?.message.contains("LATIN1") == true)
    }

    @Test func whatCannotBeReachedSaysWhy() async throws {
        let model = try Company.model()
        let server = try EphemeralPostgres.shared()
        let missing = await Self.openingError(server.url(database: "no_such_database"), model)
        #expect(
            missing?.code == .database
                && "\(missing.map(String.init(describing:)) ?? "")".contains("no_such_database"))
        let unreachable = await Self.openingError("postgres://user:hush@127.0.0.1:1/nothing", model)
        #expect(unreachable?.code == .database && unreachable?.databaseError?.code == .connectionFailed)
        #expect(unreachable.map { "\($0) \($0.debugDescription)".contains("hush") } == false)
        let wrong = await Self.openingError("mysql://localhost/x", model)
        #expect(wrong?.code == .database)
        let nonsense = await Self.openingError("postgres://x:hush@/%zz", model)
        #expect(nonsense?.code == .database)
        #expect(nonsense.map { "\($0) \($0.debugDescription)".contains("hush") } == false)
        let reserved = await Self.openingError(server.url(), model, schema: "")
        #expect(reserved?.code == .invalidModel)
    }

    @Test(.needsSession) func closingDrains() async throws {
        try await withTestDatabase(for: Company.model()) { database in
            let sql = PlainSQL(url: database.url)
            let container = try await PersistentContainer.open(database.url, model: Company.model())
            let (begun, signal) = AsyncStream.makeStream(of: Void.self)
            let work = Task {
                try await container.perform { context in
                    _ = try context.fetch(Employee.self)
                    signal.finish()
                    Thread.sleep(forTimeInterval: 0.3)
                    let employee = Employee(context: context)
                    employee.firstName = "in time"
                    try context.save()
                }
            }
            for await _ in begun {}
            await container.close()
            try await work.value
            #expect(try sql.value("SELECT first_name FROM employee") == "in time")
            // A session that was told to end is listed until its process has ended, and so is each that asked
            // here; workers of the server come and go.
            let others = """
                SELECT pid || ' ' || application_name || ' ' || coalesce(state, '') || ' ' || query
                FROM pg_stat_activity
                WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
                """
            let asking = try Connection(ConnectionConfiguration(database.url))
            defer { asking.close() }
            var left: [String] = []
            for _ in 0..<6_000 {
                let result = try asking.query(others, cached: false)
                left = (0..<result.rowCount).map { result.row($0)[0].string() }
                if left.isEmpty { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(left.isEmpty)
            do {
                try await container.perform { _ = try $0.fetch(Employee.self) }
                Issue.record("a closed container answered")
            } catch {
                #expect((error as? StoreError)?.code == .closed, "\(error)")
            }
            let handle = container.newBackgroundContext()
            await #expect(throws: StoreError.self) {
                try await handle.perform { context in
                    let employee = Employee(context: context)
                    employee.firstName = "late"
                    try context.save()
                }
            }
        }
    }
}
