internal import PQClient

/// The names of the tables in which a store keeps its history, and the statements that create them.
///
/// The table of changes is partitioned as a ring of slots. A row of one table names the slot that is written. The owner's
/// functions rotate the ring and truncate slots, see ``Function``.
package struct HistoryTables: Hashable, Sendable {
    /// The number of slots.
    package static let slots = 8

    /// The setting that is `on` while a statement writes its own history.
    ///
    /// It is not ``StoreSchema/Trigger/setting``: that one disables the triggers of delete rules, and versions of the
    /// library without history set it, too. Send `SELECT pg_catalog.set_config('howdah.history', 'on', true)` before
    /// the statements, and `''` after them in a transaction that continues.
    package static let setting = "howdah.history"

    /// The first part of all names.
    package static let prefix = "_howdah_history"

    /// An SQL expression for the era in which the server is: its timeline, and the time at which it started.
    ///
    /// The server must not be in recovery. Both factors are numeric, so that no operator of a search path fits better.
    package static let eraExpression =
        "(pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8) || '/' || "
        + "((EXTRACT(epoch FROM pg_catalog.pg_postmaster_start_time()) * 1000000::pg_catalog.numeric)::pg_catalog.int8)::pg_catalog.text)"

    /// The store's schema.
    package let schemaName: String

    /// Names the tables in a schema.
    package init(in schemaName: String) { self.schemaName = schemaName }

    /// The partitioned table of changes, quoted and with its schema, as all names here.
    package var history: String { quoted("") }
    /// The row that names the slot that is written.
    package var current: String { quoted("_current") }
    /// The row with the state of the history.
    package var state: String { quoted("_state") }
    /// The eras that have ended.
    package var era: String { quoted("_era") }
    /// The registered consumers.
    package var consumer: String { quoted("_consumer") }
    /// The sequence of the numbers of transactions.
    package var number: String { quoted("_number") }

    /// The name of a slot's partition.
    package func slot(_ number: Int) -> String { quoted("_\(number)") }

    /// The names of all tables, without their schema, the partitions included.
    package static let tableNames =
        ["", "_current", "_state", "_era", "_consumer"].map { prefix + $0 }
        + (0..<slots).map { "\(prefix)_\($0)" }

    /// The condition that a row of `pg_class` is not a slot that was detached from the table of all changes.
    package static func isAttached(_ alias: String) -> String {
        let names = tableNames.suffix(slots).map { SQLLiteral.string($0) }.joined(separator: ", ")
        return "(\(alias).relispartition OR \(alias).relname NOT IN (\(names)))"
    }

    /// The names of the indexes on all changes, without their schema.
    package static let indexNames = [prefix + "_number_key", prefix + "_txid"]

    /// The names of what can be created again without loss: the indexes and the sequence.
    package static let mendedNames = indexNames + [sequenceName]

    /// The indexes on all changes.
    var indexes: [(name: String, creation: String)] {
        let columns = ["(\"number\", \"part\", \"slot\")", "(\"txid\")"]
        return zip(zip(Self.indexNames, ["UNIQUE INDEX", "INDEX"]), columns).map { index, columns in
            (index.0, "CREATE \(index.1) \(SQLIdentifier.quoted(index.0)) ON \(history) \(columns)")
        }
    }

    /// The name of the sequence, without its schema.
    package static let sequenceName = prefix + "_number"

    func quoted(_ suffix: String) -> String { SQLIdentifier.quoted(schemaName, Self.prefix + suffix) }

    /// The expression for the slot that is written. If the row is missing, it is NULL, and every insertion fails.
    package var slotExpression: String {
        "(SELECT coalesce(c.\"slot\", 0::pg_catalog.int2) FROM \(current) AS c)"
    }

    /// The statements that create the sequence, the tables and the functions, in their order.
    package var creation: [String] { tables + functions }

    /// The statement that creates the sequence.
    func sequence(from start: Int64) -> String {
        "CREATE SEQUENCE \(number) AS bigint INCREMENT BY 1 MINVALUE 1 START WITH \(start) CACHE 1 NO CYCLE"
    }

    /// The statements that create the sequence and the tables.
    private var tables: [String] {
        let text = "pg_catalog.text COLLATE pg_catalog.\"C\""
        let singleton = "\"singleton\" boolean NOT NULL DEFAULT TRUE PRIMARY KEY CHECK (\"singleton\")"
        let time = "timestamp with time zone"
        return [
            sequence(from: 1),
            """
            CREATE TABLE \(history) (
                "slot" smallint NOT NULL,
                "number" bigint NOT NULL,
                "part" integer NOT NULL,
                "txid" pg_catalog.xid8 NOT NULL DEFAULT pg_catalog.pg_current_xact_id(),
                "stored_at" \(time) NOT NULL DEFAULT pg_catalog.clock_timestamp(),
                "origin" smallint NOT NULL,
                "entity" \(text) NOT NULL,
                "kind" smallint NOT NULL,
                "properties" pg_catalog.text[] COLLATE pg_catalog."C",
                "ids" bigint[] NOT NULL,
                "tombstones" pg_catalog.jsonb,
                "author" \(text),
                "context" \(text),
                "process" \(text),
                "scope" \(text)
            ) PARTITION BY LIST ("slot")
            """,
            // Before the slots, which copy it. Compression would cost more than writing.
            "ALTER TABLE \(history) ALTER COLUMN \"ids\" SET STORAGE EXTERNAL",
        ]
            + indexes.map(\.creation)
            + (0..<Self.slots).map {
                // Slots are truncated.
                "CREATE TABLE \(slot($0)) PARTITION OF \(history) FOR VALUES IN (\($0)) "
                    + "WITH (autovacuum_vacuum_insert_threshold = -1)"
            } + [
                """
                CREATE TABLE \(current) (
                    \(singleton),
                    "slot" smallint,
                    "opened_at" \(time) NOT NULL
                )
                """,
                """
                CREATE TABLE \(state) (
                    \(singleton),
                    "incarnation" pg_catalog.uuid NOT NULL,
                    "system_identifier" bigint NOT NULL,
                    "database_oid" pg_catalog.oid NOT NULL,
                    "table_oid" pg_catalog.oid NOT NULL,
                    "purged_txid" pg_catalog.xid8 NOT NULL,
                    "purged_at" pg_catalog.pg_snapshot NOT NULL,
                    "deleted" pg_catalog.pg_snapshot NOT NULL,
                    "heartbeat" pg_catalog.pg_snapshot NOT NULL,
                    "heartbeat_lsn" pg_catalog.pg_lsn NOT NULL,
                    "heartbeat_era" \(text) NOT NULL,
                    "heartbeat_at" \(time) NOT NULL,
                    "retention" interval NOT NULL DEFAULT '7 days'
                        CHECK ("retention" OPERATOR(pg_catalog.>=) interval '0'),
                    "closed_at" \(time)[] NOT NULL,
                    "is_guarded" boolean NOT NULL,
                    "is_tracked" boolean NOT NULL,
                    "tracked" pg_catalog.text[] COLLATE pg_catalog."C" NOT NULL DEFAULT '{}'
                )
                """,
                """
                CREATE TABLE \(era) (
                    "ended_era" \(text) NOT NULL PRIMARY KEY,
                    "followed_by" \(text) NOT NULL,
                    "heartbeat" pg_catalog.pg_snapshot NOT NULL,
                    "heartbeat_at" \(time) NOT NULL,
                    "noticed_at" \(time) NOT NULL
                )
                """,
                """
                CREATE TABLE \(consumer) (
                    "name" \(text) NOT NULL PRIMARY KEY,
                    "token" \(text) NOT NULL,
                    "snapshot" pg_catalog.pg_snapshot NOT NULL,
                    "era" \(text) NOT NULL,
                    "registered_at" \(time) NOT NULL,
                    "acknowledged_at" \(time) NOT NULL
                )
                """,
            ]
    }

    /// The statements that insert the two rows of a history that begins now.
    ///
    /// - Parameter isStarted: Indicates whether all programs write history from the beginning, as in a new store.
    package func rows(isStarted: Bool) -> [String] {
        [
            "INSERT INTO \(current) (\"slot\", \"opened_at\") VALUES (\(isStarted ? "0" : "NULL"), "
                + "pg_catalog.clock_timestamp())",
            """
            INSERT INTO \(state) ("incarnation", "system_identifier", "database_oid", "table_oid", "purged_txid", "purged_at", "deleted",
                "heartbeat", "heartbeat_lsn", "heartbeat_era", "heartbeat_at", "closed_at", "is_guarded", "is_tracked")
            SELECT pg_catalog.gen_random_uuid(), \(Self.systemIdentifier), \(Self.databaseIdentifier), \(stateIdentifier),
                '0'::pg_catalog.xid8, pg_catalog.pg_current_snapshot(), pg_catalog.pg_current_snapshot(),
                pg_catalog.pg_current_snapshot(), pg_catalog.pg_current_wal_insert_lsn(), \(Self.eraExpression),
                pg_catalog.clock_timestamp(), \(Self.nothingClosed), FALSE, FALSE
            """,
        ]
    }

    /// An SQL expression for the identifier of the database cluster.
    package static let systemIdentifier =
        "(SELECT s.system_identifier FROM pg_catalog.pg_control_system() AS s)"

    /// An SQL expression for the identifier of the database in its cluster.
    package static let databaseIdentifier =
        "(SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())"

    /// An SQL expression for the identifier of the table with the state.
    ///
    /// A dump creates the table again, also in the same database, with the rows of the former one.
    package var stateIdentifier: String { "\(SQLLiteral.string(state))::pg_catalog.regclass::pg_catalog.oid" }

    /// An SQL expression for the times at which the slots were closed if none was.
    package static let nothingClosed =
        "pg_catalog.array_fill(NULL::timestamp with time zone, ARRAY[\(slots)], ARRAY[0])"
}
