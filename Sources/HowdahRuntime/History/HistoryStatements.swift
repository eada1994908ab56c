import Foundation
import HowdahSchema
import PQClient

/// The statements that read the history of a store.
struct HistoryStatements: Sendable {
    /// The number of rows, and of ids in them, beyond which a window is read in pages.
    static let pageRows = 1_000
    static let pageIDs = 10_000
    /// The number of bytes of preserved values beyond which a window is read in pages. One row may have more.
    static let pageBytes = 4 << 20
    /// The number of stored bytes of preserved values, which are compressed, beyond which a page ends.
    ///
    /// To know the size of a value that is sent, the server has to make it. Without this limit, each page would make all
    /// values of the next 1,000 rows.
    static let pageStoredBytes = 1 << 20
    /// The number of stored bytes of preserved values beyond which a window is read in pages.
    static let pollStoredBytes = 64 << 10
    /// The beginning of statements on the history alone, which a ``StatementLog`` does not count.
    static let mark = StoreHistory.upkeep

    let tables: HistoryTables

    init(in schemaName: String) { tables = HistoryTables(in: schemaName) }

    /// The state of the history, and the edge that the statement's snapshot is.
    ///
    /// The position is taken after the snapshot, so that it lies after all commits that the snapshot sees.
    private static let values = """
        CASE s."table_oid" WHEN s."own_oid" THEN s."incarnation" ELSE \(SQLLiteral.string(nobody.uuidString))::pg_catalog.uuid END AS "incarnation",
        s."purged_txid"::pg_catalog.text AS "purged_txid",
        s."purged_at"::pg_catalog.text AS "purged_at", s."deleted"::pg_catalog.text AS "deleted",
        c."slot" IS NOT NULL AS "is_started", \(HistoryTables.eraExpression) AS "era",
        pg_catalog.pg_current_snapshot()::pg_catalog.text AS "now",
        pg_catalog.pg_current_xact_id_if_assigned()::pg_catalog.text AS "own",
        pg_catalog.pg_current_wal_insert_lsn() AS "position",
        pg_catalog.pg_current_wal_flush_lsn() AS "flushed", s."heartbeat_era" AS "heartbeat_era"
        """

    /// The identity of a history in a table that a dump has restored. No token is of it.
    static let nobody = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    private static let edgeNames = """
        e."incarnation", e."purged_txid", e."purged_at", e."deleted", e."is_started", e."era", e."now", e."own",
        e."position"::pg_catalog.text, e."checkpoint" IS NULL, e."heartbeat_era" = e."era", e."checkpoint",
        pg_catalog.current_setting('transaction_isolation') = 'read committed'::pg_catalog.text
        """

    /// An SQL expression for the position of the last checkpoint.
    static let checkpoint =
        "(SELECT k.checkpoint_lsn::pg_catalog.text FROM pg_catalog.pg_control_checkpoint() AS k)"

    /// Returns an SQL condition that indicates whether the log is flushed up to a position.
    ///
    /// If the log ends with a page, its position lies after the header of the next page. The server writes that header
    /// with the next record. All numbers are numeric, so that no operator of a search path fits better.
    static func isFlushed(_ flushed: String, upTo position: String) -> String {
        let distance = "pg_catalog.pg_wal_lsn_diff(\(position), \(flushed))"
        return """
            (\(flushed) >= \(position) OR \(distance) IN (24::pg_catalog.numeric, 40::pg_catalog.numeric)
                AND \(distance) = pg_catalog.pg_wal_lsn_diff(\(position), '0/0') % CASE \(distance)
                    WHEN 24::pg_catalog.numeric THEN pg_catalog.current_setting('wal_block_size')::pg_catalog.numeric
                    ELSE pg_catalog.pg_size_bytes(pg_catalog.current_setting('wal_segment_size'))::pg_catalog.numeric END)
            """
    }

    /// The edge as the common table expression `e`. Its checkpoint is NULL if the edge is flushed.
    private var edgeTable: String {
        """
        v AS MATERIALIZED (SELECT \(Self.values) FROM \(stateRows)),
        e AS MATERIALIZED (SELECT v.*, CASE WHEN NOT \(Self.isFlushed("v.\"flushed\"", upTo: "v.\"position\""))
            THEN \(Self.checkpoint) END AS "checkpoint" FROM v)
        """
    }

    /// The columns of ``HistoryRow``.
    private static let row = """
        "number", "part", "stored_at", "origin", "entity", "kind", "properties", "ids", "tombstones", "author", "context",
        "process"
        """

    /// The limits keep the planner from estimating hundreds of thousands of rows, as these tables have no
    /// statistics.
    private var stateRows: String {
        "(SELECT *, tableoid AS \"own_oid\" FROM \(tables.state) LIMIT 1) AS s "
            + "CROSS JOIN (SELECT * FROM \(tables.current) LIMIT 1) AS c"
    }

    /// Writes a heartbeat if the last one is not young; selects false if it is, or another process writes one.
    var heartbeat: String { "\(Self.mark)SELECT \(tables.name(of: .heartbeat))()" }

    /// Selects the edge alone.
    var edge: String {
        "\(Self.mark)WITH \(edgeTable) SELECT \(Self.edgeNames) FROM e"
    }

    /// Selects whether the log is flushed up to position `$1`.
    let flushed = """
        \(mark)SELECT \(isFlushed("f.\"lsn\"", upTo: "$1::pg_catalog.pg_lsn"))
        FROM (SELECT pg_catalog.pg_current_wal_flush_lsn() AS "lsn") AS f
        """

    /// Selects whether the server is still in era `$2`, and no transaction with changes began or ended since its
    /// snapshot `$1` was taken.
    ///
    /// Then nothing follows a token with that snapshot, and nothing was removed, as both take a transaction. This
    /// opens no table, so it costs a tenth of a poll.
    let isUnchanged = """
        \(mark)SELECT pg_catalog.pg_current_snapshot()::pg_catalog.text = $1
            AND pg_catalog.pg_current_xact_id_if_assigned() IS NULL AND \(HistoryTables.eraExpression) = $2
        """

    /// Returns an SQL condition for rows that a snapshot does not see, for the index on `txid`.
    private static func arms(_ old: String) -> String {
        """
        ("txid" >= pg_catalog.pg_snapshot_xmax(\(old)) OR "txid" = ANY (ARRAY(SELECT pg_catalog.pg_snapshot_xip(\(old)))))
        """
    }

    /// The size of the preserved values of a row, as they are sent.
    private static func bytes(_ alias: String) -> String {
        "pg_catalog.octet_length(\(alias).\"tombstones\"::pg_catalog.text)"
    }

    /// The size of the preserved values of a row, as they are stored.
    private static func storedBytes(_ alias: String) -> String {
        "pg_catalog.pg_column_size(\(alias).\"tombstones\")"
    }

    /// Selects the edge, and the rows of the window from `$1` to the newest edge that is flushed, unless the
    /// window is big.
    ///
    /// `$2`, `$3` and `$4` are the position, the snapshot and the checkpoint of an edge of an earlier poll, `$5` and
    /// following the filter. Limit and order are on separate levels: together they would make the server walk the index
    /// on numbers.
    var poll: String {
        """
        \(Self.mark)WITH \(edgeTable),
        w AS MATERIALIZED (SELECT CASE WHEN e."checkpoint" IS NULL THEN e."now"::pg_catalog.pg_snapshot
            WHEN ($4::pg_catalog.text IS NULL OR $4 = e."checkpoint")
                AND \(Self.isFlushed("e.\"flushed\"", upTo: "$2::pg_catalog.pg_lsn"))
            THEN $3::pg_catalog.pg_snapshot END AS "end" FROM e),
        r AS MATERIALIZED (SELECT \(Self.row) FROM \(tables.history)
            WHERE \(Self.arms("$1::pg_catalog.pg_snapshot"))
            AND pg_catalog.pg_visible_in_snapshot("txid", (SELECT w."end" FROM w))
            AND \(HistoryConditions.condition(from: 5)) LIMIT \(Self.pageRows + 1)),
        b AS MATERIALIZED (SELECT pg_catalog.count(*) > \(Self.pageRows)
            OR pg_catalog.sum(pg_catalog.cardinality(r."ids")) > \(Self.pageIDs)
            OR pg_catalog.sum(\(Self.storedBytes("r"))) > \(Self.pollStoredBytes) AS "is_big" FROM r)
        SELECT \(Self.edgeNames), coalesce(b."is_big", FALSE), w."end"::pg_catalog.text,
            r.* FROM e CROSS JOIN w CROSS JOIN b LEFT JOIN r ON b."is_big" IS NOT TRUE
        """
    }

    /// Selects the number of the first row of the window from `$1` to `$2`. Added to 0, so that the server
    /// does not walk the index on numbers.
    var first: String {
        """
        \(Self.mark)SELECT pg_catalog.min("number" + 0) FROM \(tables.history)
        WHERE \(Self.arms("$1::pg_catalog.pg_snapshot"))
        AND pg_catalog.pg_visible_in_snapshot("txid", $2::pg_catalog.pg_snapshot)
        """
    }

    /// Selects the edge, and the first rows after number `$3` and part `$4` of the window from `$1` to `$2`.
    ///
    /// Each row has the number of the row after it.
    ///
    /// The state is of the statement's snapshot, as the rows are. So a truncation is visible in the state, or
    /// the rows are still there.
    var page: String {
        """
        \(Self.mark)WITH \(edgeTable)
        SELECT \(Self.edgeNames), r.* FROM e LEFT JOIN LATERAL (
            SELECT x."next", \(Self.row) FROM (
                SELECT *, pg_catalog.sum(\(Self.bytes("z"))) OVER (
                    ORDER BY "number", "part" ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS "bytes" FROM (
                SELECT *, pg_catalog.lead("number") OVER (ORDER BY "number", "part") AS "next", pg_catalog.sum(pg_catalog.cardinality("ids")) OVER (
                    ORDER BY "number", "part" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "before",
                    pg_catalog.sum(\(Self.storedBytes("y"))) OVER (
                        ORDER BY "number", "part" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "stored",
                    pg_catalog.row_number() OVER (ORDER BY "number", "part") AS "place"
                FROM (SELECT \(Self.row) FROM \(tables.history)
                    WHERE NOT pg_catalog.pg_visible_in_snapshot("txid", $1::pg_catalog.pg_snapshot)
                    AND pg_catalog.pg_visible_in_snapshot("txid", $2::pg_catalog.pg_snapshot)
                    AND ("number", "part") > ($3, $4) AND \(HistoryConditions.condition(from: 5))
                    ORDER BY "number", "part" LIMIT \(Self.pageRows + 1)) AS y) AS z
                WHERE coalesce(z."before", 0) < \(Self.pageIDs) AND z."place" <= \(Self.pageRows)
                    AND coalesce(z."stored", 0) < \(Self.pageStoredBytes)) AS x
            WHERE x."place" = 1 OR coalesce(x."bytes", 0) <= \(Self.pageBytes)) AS r ON TRUE
        """
    }

    /// The settings under which a page is read by the index on numbers, for the statement's transaction only.
    static let pageSettings = """
        \(mark)SELECT pg_catalog.set_config('jit', 'off', TRUE), pg_catalog.set_config('enable_sort', 'off', TRUE),
            pg_catalog.set_config('enable_bitmapscan', 'off', TRUE), pg_catalog.set_config('enable_seqscan', 'off', TRUE),
            pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', TRUE)
        """

    /// The settings under which rows are found by the index on `txid`, for the statement's transaction only.
    ///
    /// The planner estimates a third of all rows, for which it would compile the statement at each execution.
    /// A plan for each execution would cost more than the execution.
    static let pollSettings = """
        \(mark)SELECT pg_catalog.set_config('jit', 'off', TRUE), pg_catalog.set_config('enable_seqscan', 'off', TRUE),
            pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', TRUE)
        """

    /// Selects the last heartbeat with its era, and the ends of earlier eras.
    var eras: String {
        """
        \(Self.mark)SELECT s."heartbeat_era", s."heartbeat"::pg_catalog.text, e."ended_era", e."followed_by",
            e."heartbeat"::pg_catalog.text FROM \(tables.state) AS s LEFT JOIN \(tables.era) AS e ON TRUE
        """
    }
}
