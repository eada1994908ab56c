import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// A store with history in a database of its own, for plain SQL of its owner.
struct HistoryStore {
    let database: TemporaryDatabase
    let connection: Connection
    let schema: StoreSchema

    var tables: HistoryTables { HistoryTables(in: schema.schemaName) }

    /// Runs `body` with a store of notes.
    static func with(
        _ model: ManagedObjectModel? = nil, isStarted: Bool = true, preparing script: String = "",
        _ body: (HistoryStore) async throws -> Void
    ) async throws {
        let model = try model ?? Notebook.model()
        try await withTemporaryDatabase(for: model) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            let store = HistoryStore(
                database: database, connection: connection,
                schema: try StoreSchema(model, schemaName: "public"))
            if !script.isEmpty { try connection.executeScript(script) }
            try store.inTransaction {
                try HistoryInstallation(of: store.schema, on: connection).make(isStarted: isStarted)
            }
            try await body(store)
        }
    }

    /// Runs `body` with a role that may only read and write rows, and drops the role.
    static func withProgram(
        preparing script: (String) -> String = { _ in "" },
        _ body: (HistoryStore, _ role: String, _ program: Connection) async throws -> Void
    ) async throws {
        let role = "clerk_\(UInt32.random(in: 0 ... .max))"
        let grants = """
            CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA public TO \(role);
            GRANT SELECT ON ALL TABLES IN SCHEMA public TO \(role);
            GRANT SELECT, INSERT, UPDATE, DELETE ON note, folder, tag TO \(role);
            """
        try await with(preparing: grants + script(role)) { store in
            let url = store.database.url.replacing("user=postgres", with: "user=\(role)")
            let program = try Connection(ConnectionConfiguration(url))
            do {
                try await body(store, role, program)
            } catch {
                program.close()
                try? store.run("DROP OWNED BY \(role); DROP ROLE \(role)")
                throw error
            }
            program.close()
            try store.run("DROP OWNED BY \(role); DROP ROLE \(role)")
        }
    }

    func inTransaction(_ body: () throws -> Void) throws {
        try connection.begin()
        do {
            try body()
            try connection.commit()
        } catch {
            try? connection.rollback()
            throw error
        }
    }

    func run(_ script: String) throws { try connection.executeScript(script) }

    /// The first value of a query or expression, as text.
    func value(_ expression: String) throws -> String? {
        try connection.query("SELECT (\(expression))::text", cached: false).map {
            $0[0].isNull ? nil : $0[0].string()
        }.first ?? nil
    }

    /// Calls a function of the history.
    func call(_ function: HistoryTables.Function, _ arguments: String = "", on other: Connection? = nil)
        throws -> Bool
    {
        try (other ?? connection).query("SELECT \(tables.name(of: function))(\(arguments))", cached: false)
            .map { $0[0].bool }.first ?? false
    }

    /// Inserts a row of history.
    func add(slot: Int = 0, age: String = "0 s", ids: String = "{1}", tombstones: String? = nil) throws {
        try run(Self.insertion(slot: slot, age: age, ids: ids, tombstones: tombstones))
    }

    static func insertion(slot: Int = 0, age: String = "0 s", ids: String = "{1}", tombstones: String? = nil)
        -> String
    {
        "INSERT INTO _howdah_history (slot, number, part, stored_at, origin, entity, kind, ids, tombstones) SELECT \(slot), "
            + "nextval('_howdah_history_number'), 0, clock_timestamp() - interval '\(age)', 0, 'Note', 2, '\(ids)', "
            + (tombstones.map { "'\($0)'" } ?? "NULL")
    }

    /// Makes a slot due: it was closed longer ago than the retention.
    func close(slot: Int) throws {
        try run(
            "UPDATE _howdah_history_state SET closed_at[\(slot)] = clock_timestamp() - interval '30 days'")
    }

    /// Waits until every transaction of the server that is as old as the history has ended, those of other tests too.
    ///
    /// A position that lists one of them holds the slot as soon as it ends, and a purge is refused for a good reason.
    nonisolated(nonsending) func untilOlderTransactionsEnd() async throws {
        let running =
            "pg_snapshot_xmin(pg_current_snapshot()) <= (SELECT txid FROM _howdah_history ORDER BY txid DESC LIMIT 1)"
        let end = ContinuousClock.now + .seconds(600)
        while try value(running) == "true" {
            try #require(.now < end, "a transaction of another test does not end")
            // Other tests may need the thread to end theirs.
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Registers a consumer at the present position.
    nonisolated(nonsending) func register(_ name: String, era: String? = nil) async throws {
        try await untilOlderTransactionsEnd()
        try run(
            "INSERT INTO _howdah_history_consumer SELECT '\(name)', 'token', pg_current_snapshot(), "
                + "\(era.map { "'\($0)'" } ?? HistoryTables.eraExpression), now(), now()")
    }
}
