import Howdah
import PQClient
import TestSupport
import Testing

@testable import HowdahRuntime

/// What SQL of one unit of work did to its session is gone for the next.
@Suite(.timeLimit(.minutes(60))) struct CleanUnitTests {
    @Test(.needsSession) func aliceLeavesNothingToBob() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let container = store.container
            let process = try await container.perform { context in
                _ = try context.fetchRows(String.self, sql: "SELECT set_config('app.tenant', 'alice', false)")
                _ = try context.fetchRows(sql: "CREATE TEMPORARY TABLE basket (item text)")
                _ = try context.fetchRows(Bool.self, sql: "SELECT pg_try_advisory_lock(42)")
                _ = try context.fetchRows(sql: "LISTEN news")
                _ = try context.fetchRows(sql: "SET default_transaction_read_only = on")
                return try context.fetchRows(Int32.self, sql: "SELECT pg_backend_pid()")[0]
            }
            try await container.perform { context in
                let left = try context.fetchRows(
                    String?.self, Bool.self, Int64.self, Int64.self, Int32.self,
                    sql: """
                        SELECT current_setting('app.tenant', true), to_regclass('basket') IS NOT NULL, \
                        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND pid = pg_backend_pid()), \
                        (SELECT count(*) FROM pg_listening_channels()), pg_backend_pid()
                        """)[0]
                #expect(left.0 ?? "" == "" && !left.1 && left.2 == 0 && left.3 == 0)
                // The session is the same, and its prepared statements are still there.
                #expect(left.4 == process)
                Employee(context: context).firstName = "Bob"
                try context.save()
            }
            try #expect(store.storedNames() == ["Bob"])
        }
    }

    /// Texts as before: cleaning is for units that changed something, and is not one of their statements.
    @Test func unitsWithoutSuchSQLPayNothing() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let container = store.container
            _ = try await store.hire(1)
            container.statementLog.start()
            try await container.perform { context in
                _ = try context.fetch(FetchRequest<Employee>())
                _ = try context.fetchRows(Int64.self, sql: "SELECT count(*) FROM employee")
            }
            #expect(container.statementLog.events.count == 2)
        }
    }

    /// No text tells what a view, an operator, a cast, a trigger or a planted function does to the session.
    @Test(
        .needsSession,
        arguments: [
            "SELECT enter_it::text FROM sly", "SELECT (1 ~~~ 2)::text", "SELECT 'x'::text::sly_text::text",
            "SELECT (p).enter::text FROM person_row p", "SELECT lower(p)::text FROM person_row p",
            "UPDATE person_row SET name = 'c' RETURNING name",
        ] as [SQLQuery])
    func whatIsCalledInsideIsCleanedToo(query: SQLQuery) async throws {
        try await CompanyStore.with(connections: 1) { store in
            let sql = PlainSQL(url: TestPooler.direct(store.url))
            for statement in [
                """
                CREATE FUNCTION enter_it() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
                    PERFORM set_config('app.tenant', 'alice', false), pg_advisory_lock(7);
                    CREATE TEMPORARY TABLE basket (item text); RETURN 1; END $$
                """,
                "CREATE VIEW sly AS SELECT enter_it()",
                "CREATE FUNCTION sly_add(int, int) RETURNS int LANGUAGE sql AS 'SELECT enter_it()'",
                "CREATE OPERATOR ~~~ (FUNCTION = sly_add, LEFTARG = int, RIGHTARG = int)",
                "CREATE DOMAIN sly_text AS text CHECK (enter_it() = 1)",
                "CREATE TABLE person_row (name text)",
                "INSERT INTO person_row VALUES ('a')",
                "CREATE FUNCTION enter(person_row) RETURNS int LANGUAGE sql AS 'SELECT enter_it()'",
                "CREATE FUNCTION lower(person_row) RETURNS int LANGUAGE sql AS 'SELECT enter_it()'",
                "CREATE FUNCTION on_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM enter_it(); RETURN NEW; END'",
                "CREATE TRIGGER enters BEFORE UPDATE ON person_row FOR EACH ROW EXECUTE FUNCTION on_row()",
            ] { try sql.rows(statement) }
            try await store.container.perform { context in
                let rows = try context.fetchRows(String.self, sql: query)
                #expect(rows.count == 1)
            }
            try await store.container.perform { context in
                let left = try context.fetchRows(
                    String?.self, Bool.self, Int64.self,
                    sql: """
                        SELECT current_setting('app.tenant', true), to_regclass('pg_temp.basket') IS NOT NULL, \
                        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND pid = pg_backend_pid())
                        """)[0]
                #expect(left.0 ?? "" == "" && !left.1 && left.2 == 0)
            }
        }
    }

    @Test(.needsSession) func aFunctionThatForgetsPreparedStatementsEndsTheSession() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let container = store.container
            try await container.perform { _ = try $0.fetch(FetchRequest<Employee>()) }
            try await container.perform { _ = try $0.fetchRows(sql: "DO 'BEGIN DEALLOCATE ALL; END'") }
            try await container.perform(isolation: .serializable) {
                _ = try $0.fetch(FetchRequest<Employee>())
            }
        }
    }

    @Test(
        arguments: [
            "BEGIN", "start transaction", "; COMMIT", "/* a /* b */ */ END", "ROLLBACK", "ABORT",
            "COMMIT AND CHAIN",
            "PREPARE TRANSACTION 'a'",
        ] as [SQLQuery])
    func transactionsAreTheUnitsOwn(query: SQLQuery) async throws {
        try await CompanyStore.with(connections: 1) { store in
            for isolation in [nil, Isolation.readCommitted] {
                let error = await #expect(throws: FetchError.self) {
                    try await store.container.perform(isolation: isolation) {
                        _ = try $0.fetchRows(sql: query)
                    }
                }
                #expect(
                    error?.code == .invalidRequest && error?.message.contains("perform(isolation:)") == true)
            }
            try await store.container.perform(isolation: .readCommitted) { context in
                _ = try context.fetchRows(sql: "SAVEPOINT a")
                _ = try context.fetchRows(sql: "ROLLBACK TO a")
            }
        }
    }

    /// A procedure can end a transaction, too, outside of one that the unit began.
    @Test func aProcedureMayCommitItsOwn() async throws {
        try await CompanyStore.with(connections: 1) { store in
            let sql = PlainSQL(url: TestPooler.direct(store.url))
            try sql.rows("CREATE PROCEDURE twice() LANGUAGE plpgsql AS 'BEGIN COMMIT; COMMIT; END'")
            try await store.container.perform { _ = try $0.fetchRows(sql: "CALL twice()") }
        }
    }

    @Test(
        arguments: [
            "SELECT set_config('a.b', 'x', true), set_config('a.c', 'leak', false)",
            "SELECT set_config('a.b', 'x', false), coalesce(NULL, true)", "SELECT set_config('a.b', 'x', $1)",
            "CREATE OR REPLACE TEMP VIEW a AS SELECT 1", "CREATE TABLE pg_temp.a (n int)",
            "SELECT 1 AS n INTO pg_temp.a", "EXPLAIN ANALYZE CREATE TEMP TABLE a AS SELECT 1",
            "DECLARE c CURSOR WITH\nHOLD FOR SELECT 1", "CREATE TEMP SEQUENCE a /* ON COMMIT DROP */",
            "/* /* */ */ SET a.b = 'c'", "DO $$ BEGIN SET a.b = 'c'; END $$", "DO 'BEGIN EXECUTE ''x''; END'",
            "SELECT U&\"pg\\005fadvisory_lock\"(5)", "SELECT \"pg_advisory_lock\"(1)", "SELECT setseed(0.5)",
            "UNLISTEN *",
            "DO $$ BEGIN PERFORM pg_advisory_lock(1); END $$",
            "WITH a AS (SELECT pg_try_advisory_lock(1)) TABLE a",
        ] as [SQLQuery])
    func isRefusedBehindAPooler(query: SQLQuery) { #expect(query.refusalBehindPooler != nil) }

    @Test(
        arguments: [
            "SELECT set_config('a.b', 'x', true)", "SELECT set_config('a.b', 'x', is_local => true)",
            "CREATE TEMP TABLE a (n int) ON COMMIT\nDROP", "SELECT 'SET x; pg_advisory_lock(1)'",
            "SELECT E'\\'pg_advisory_lock', 'it''s'", "SELECT $a$ LISTEN pg_advisory_lock $a$",
            "SET LOCAL a.b = 'c'",
            "UPDATE employee SET first_name = 'SET'", "DO $$ BEGIN UPDATE employee SET salary = 1; END $$",
            "SELECT pg_advisory_xact_lock(1)", "DECLARE c CURSOR WITHOUT HOLD FOR SELECT 1",
        ] as [SQLQuery])
    func passesAPooler(query: SQLQuery) {
        #expect(query.refusalBehindPooler == nil, "\(String(describing: query.refusalBehindPooler))")
    }
}
