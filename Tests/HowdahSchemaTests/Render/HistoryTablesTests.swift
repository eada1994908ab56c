import HowdahModel
import HowdahSchema
import HowdahTesting
import PQClient
import TestSupport
import Testing

/// The tables of the history, and the rights on them.
@Suite struct HistoryTablesTests {
    @Test func everySlotStoresKeysUncompressed() async throws {
        try await HistoryStore.with { store in
            let storage =
                "SELECT string_agg(DISTINCT attstorage::text, '') FROM pg_attribute WHERE attname = 'ids' "
            let slots =
                "attrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = '_howdah_history'::regclass)"
            let found = try store.value("\(storage) AND \(slots)")
            #expect(found == "e")
            #expect(
                try store.value(
                    "SELECT count(*) FROM pg_inherits WHERE inhparent = '_howdah_history'::regclass") == "8")
        }
    }

    @Test func anUnusualSchemaGetsTheSameTables() async throws {
        try await withTemporaryDatabase(for: Notebook.model()) { database in
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            let name = #"a "b' 100%s \"#
            let tables = HistoryTables(in: name)
            try connection.executeScript(
                (["CREATE SCHEMA \(SQLIdentifier.quoted(name))"] + tables.creation
                    + tables.rows(isStarted: true))
                    .joined(separator: ";\n"))
            for call in ["heartbeat()", "rotate()", "purge(3::smallint)"] {
                _ = try connection.query(
                    "SELECT \(SQLIdentifier.quoted(name)).\"_howdah_history_\(call.prefix { $0 != "(" })\"\(call.drop { $0 != "(" })",
                    cached: false)
            }
            _ = try connection.query(
                "SELECT * FROM \(tables.name(of: .delete))(pg_current_snapshot(), true)", cached: false)
        }
    }

    /// Control: with the pointer in FROM, a missing row means no history and no error.
    @Test func aSaveFailsIfThePointerIsMissing() async throws {
        try await HistoryStore.with { store in
            let columns = "INSERT INTO _howdah_history (slot, number, part, origin, entity, kind, ids) SELECT"
            try store.run("DELETE FROM _howdah_history_current")
            let first = try store.connection.query(
                "\(columns) coalesce(c.slot, 0), 1, 0, 0, 'Note', 0, '{1}' FROM _howdah_history_current c",
                cached: false)
            #expect(first.affectedRows == 0)
            let error = #expect(throws: PostgresError.self) {
                try store.run("\(columns) \(store.tables.slotExpression), 1, 0, 0, 'Note', 0, '{1}'")
            }
            #expect(error?.sqlState?.hasPrefix("23") == true, "\(error as Any)")
        }
    }

    /// Control: with rights on slots, as the first design had it, a program reads and removes what others have not read.
    @Test func programsHaveNoRightsOnSlots() async throws {
        try await HistoryStore.withProgram { store, role, program in
            try program.executeScript(HistoryStore.insertion())
            #expect(try program.query("SELECT 1 FROM _howdah_history", cached: false).rowCount == 1)
            for statement in [
                "SELECT 1 FROM _howdah_history_0", "TRUNCATE _howdah_history_0", "TRUNCATE _howdah_history",
                "INSERT INTO _howdah_history_0 SELECT * FROM _howdah_history", "DELETE FROM _howdah_history",
                "UPDATE _howdah_history SET author = 'x'",
                "UPDATE _howdah_history_state SET purged_txid = '0'",
                "UPDATE _howdah_history_current SET slot = 3", "DELETE FROM _howdah_history_era",
                "SELECT \(store.tables.name(of: .rewound))(pg_current_snapshot(), '')",
            ] {
                let error = #expect(throws: PostgresError.self, "\(statement)") {
                    try program.executeScript(statement)
                }
                #expect(error?.sqlState == "42501", "\(statement): \(error as Any)")
            }
            try store.run("UPDATE _howdah_history_state SET heartbeat_at = now() - interval '1 minute'")
            #expect(try store.call(.heartbeat, on: program))
            #expect(try !store.call(.rotate, on: program))
            try store.run("UPDATE _howdah_history SET stored_at = now() - interval '30 days'")
            try store.run("UPDATE _howdah_history_current SET slot = 1")
            try store.close(slot: 0)
            try store.run("GRANT SELECT, TRUNCATE ON _howdah_history_0 TO \(role)")
            #expect(try program.query("SELECT 1 FROM _howdah_history_0", cached: false).rowCount == 1)
            try program.executeScript("BEGIN; TRUNCATE _howdah_history_0; ROLLBACK")
            // Others may have got rights from roles that may grant them.
            try store.run(
                "GRANT SELECT ON _howdah_history_0 TO \(role) WITH GRANT OPTION; SET ROLE \(role); "
                    + "GRANT SELECT ON _howdah_history_0 TO pg_monitor; RESET ROLE")
            try HistoryGrants(of: store.schema, on: store.connection).renew()
            #expect(throws: PostgresError.self) { try program.executeScript("TRUNCATE _howdah_history_0") }
            #expect(try store.call(.purge, "0::smallint", on: program))
            #expect(try store.value("SELECT count(*) FROM _howdah_history") == "0")
        }
    }

    @Test func defaultPrivilegesGiveNoMoreRights() async throws {
        let defaults: (String) -> String = {
            "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO \($0); "
                + "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO \($0); "
                + "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO \($0); "
                + "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO pg_read_all_stats"
        }
        try await HistoryStore.withProgram(preparing: defaults) { store, role, program in
            #expect(
                try store.value("has_table_privilege('\(role)', '_howdah_history_3', 'SELECT')") == "false")
            #expect(try store.value("has_table_privilege('\(role)', '_howdah_history', 'DELETE')") == "false")
            #expect(
                try store.value("has_table_privilege('\(role)', '_howdah_history_state', 'UPDATE')")
                    == "false")
            // `program` calls these, and a role without rights on objects does not.
            let erase = "'_howdah_history_erase(text[], bigint[])', 'EXECUTE')"
            #expect(try store.value("has_function_privilege('\(role)', \(erase)") == "true")
            #expect(try store.value("has_function_privilege('pg_read_all_stats', \(erase)") == "false")
            try program.executeScript(HistoryStore.insertion())
        }
    }

    @Test func readersMayReadAndNotKeep() async throws {
        try await HistoryStore.withProgram(preparing: {
            "REVOKE INSERT, UPDATE, DELETE ON note, folder, tag FROM \($0)"
        }) {
            store, _, program in
            try store.add()
            #expect(try program.query("SELECT 1 FROM _howdah_history", cached: false).rowCount == 1)
            #expect(try HistoryRecord(in: "public", on: program)?.phase == .trusted)
            for statement in [HistoryStore.insertion(), "SELECT \(store.tables.name(of: .heartbeat))()"] {
                let error = #expect(throws: PostgresError.self) { try program.executeScript(statement) }
                #expect(error?.sqlState == "42501")
            }
        }
    }

    @Test func aRemovedHistoryLeavesNothing() async throws {
        try await HistoryStore.with { store in
            #expect(
                try store.value("SELECT format_version || '.' || writable_from FROM _howdah_store") == "2.2")
            try store.inTransaction {
                try HistoryInstallation(of: store.schema, on: store.connection).remove()
            }
            #expect(
                try store.value(
                    "SELECT count(*) FROM (SELECT relname FROM pg_class WHERE relname LIKE '\\_howdah\\_history%' "
                        + "UNION ALL SELECT proname FROM pg_proc WHERE proname LIKE '\\_howdah\\_history%') AS x"
                ) == "0")
            #expect(
                try store.value(
                    "SELECT format_version || '.' || readable_from || '.' || writable_from FROM _howdah_store"
                )
                    == "1.1.1")
        }
    }
}
