package import Foundation
internal import HowdahModel
package import PQClient

/// The state of a store's history, as a program needs it when it opens the store.
package struct HistoryRecord: Hashable, Sendable {
    /// A step from a store without history to one whose history has no gaps.
    package enum Phase: String, Hashable, Sendable {
        /// The tables exist. Programs write history, and programs that had the store open before do not.
        case enabled
        /// History counts from now. A statement that writes no history is refused.
        case guarded
        /// History counts, and statements are not checked.
        case trusted
    }

    /// A reason why the history cannot be continued.
    private enum Fault: Hashable, Sendable {
        case foreign, isEmpty, restored, otherCluster, otherDatabase, future
    }

    /// The step at which the history is.
    package let phase: Phase
    /// Indicates whether changes of other programs to an entity are written, too.
    package let isTracked: Bool
    /// The identity of the history. Tokens of another one are invalid.
    package let incarnation: UUID
    /// The identifier of the database cluster that the history was written in.
    package let systemIdentifier: Int64
    /// The time that changes are kept for.
    package let retention: Duration
    private let fault: Fault?

    /// Indicates whether programs must set ``HistoryTables/setting`` for statements that write their own history.
    package var marksSaves: Bool { phase != .trusted || isTracked }

    /// Selects the state, also if rows are missing. The tables must exist.
    package static func selection(in schemaName: String) -> String {
        let tables = HistoryTables(in: schemaName)
        let names = (HistoryTables.tableNames + [HistoryTables.sequenceName]).map { SQLLiteral.string($0) }
            .joined(separator: ", ")
        return """
            SELECT c."singleton" IS NOT NULL AND s."singleton" IS NOT NULL, c."slot" IS NOT NULL, coalesce(s."is_guarded", FALSE),
                coalesce(s."is_tracked", FALSE), s."incarnation", coalesce(s."system_identifier", 0),
                EXTRACT(epoch FROM s."retention")::pg_catalog.int8,
                s."system_identifier" IS DISTINCT FROM \(HistoryTables.systemIdentifier),
                s."database_oid" IS DISTINCT FROM \(HistoryTables.databaseIdentifier),
                CASE WHEN pg_catalog.pg_is_in_recovery() THEN FALSE ELSE pg_catalog.pg_snapshot_xmax(s."heartbeat")
                    > pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) END,
                (pg_catalog.to_jsonb(s) ->> 'table_oid'::pg_catalog.text)::pg_catalog.oid IS DISTINCT FROM s.tableoid,
                EXISTS (SELECT FROM pg_catalog.pg_class AS t JOIN pg_catalog.pg_class AS m ON m.relnamespace = t.relnamespace
                    AND m.relname = \(SQLLiteral.string(StoreSchema.metadataTable)) AND m.relowner <> t.relowner
                    WHERE t.relname IN (\(names)) AND t.relnamespace = (SELECT n.oid FROM pg_catalog.pg_namespace AS n
                        WHERE n.nspname = \(SQLLiteral.string(schemaName))))
            FROM (SELECT) AS one LEFT JOIN \(tables.current) AS c ON TRUE LEFT JOIN \(tables.state) AS s ON TRUE
            """
    }

    /// Indicates whether another role than the store's owner has tables or the sequence of the history.
    package var isForeign: Bool { fault == .foreign }

    /// Indicates whether the history is of another cluster, as after `pg_upgrade`. A copy in the same cluster is not.
    package var isOfAnotherCluster: Bool { fault == .otherCluster }

    /// Reads the answer to ``selection(in:)``.
    package init(_ result: QueryResult) {
        let records = result.map { row in
            let fault: Fault? =
                row[11].isTrue
                ? .foreign
                : !row[0].isTrue
                    ? .isEmpty
                    : row[10].isTrue
                        ? .restored
                        : row[7].isTrue
                            ? .otherCluster : row[8].isTrue ? .otherDatabase : row[9].isTrue ? .future : nil
            return HistoryRecord(
                phase: !row[1].isTrue ? .enabled : row[2].isTrue ? .guarded : .trusted,
                isTracked: row[3].isTrue,
                incarnation: row[4].isNull ? Self.nobody : row[4].uuid, systemIdentifier: row[5].int64,
                retention: .seconds(row[6].isNull ? 0 : row[6].int64), fault: fault)
        }
        self =
            records.first
            ?? HistoryRecord(
                phase: .enabled, isTracked: false, incarnation: Self.nobody, systemIdentifier: 0,
                retention: .zero,
                fault: .isEmpty)
    }

    /// Reads the state of the history of the store in a schema; nil if the store has no history.
    ///
    /// - Throws: `PostgresError`.
    package init?(in schemaName: String, on connection: Connection) throws {
        guard try Self.exists(in: schemaName, on: connection) else { return nil }
        self.init(
            try connection.query(
                Self.selection(in: schemaName), cached: false, about: StatementSubject(.select)))
    }

    private init(
        phase: Phase, isTracked: Bool, incarnation: UUID, systemIdentifier: Int64, retention: Duration,
        fault: Fault?
    ) {
        self.phase = phase
        self.isTracked = isTracked
        self.incarnation = incarnation
        self.systemIdentifier = systemIdentifier
        self.retention = retention
        self.fault = fault
    }

    private static let nobody = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Indicates whether a store has the tables of history.
    ///
    /// - Throws: `PostgresError`.
    package static func exists(in schemaName: String, on connection: Connection) throws -> Bool {
        var parameters = Parameters()
        try parameters.append(schemaName)
        try parameters.append(HistoryTables.tableNames[0])
        return try connection.query(
            "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = $2 AND c.relkind = 'p'", parameters, cached: false,
            about: StatementSubject(.select)
        ).rowCount > 0
    }

    /// Explains that tables of the history are missing.
    package static func refusal(of missing: [String], in schemaName: String) -> String {
        "The history of the store in schema '\(schemaName)' lacks \(missing.joined(separator: ", ")). Run howdah history "
            + "disable, and turn the history on again. All consumers begin again then."
    }

    /// Explains why programs must not continue the history; nil if they may.
    ///
    /// Numbers of transactions count for one cluster only. In another one, old tokens would hide changes.
    package func refusal(in schemaName: String) -> String? {
        let history = "The history of the store in schema '\(schemaName)'"
        let reset = "run howdah history reset"
        switch fault {
        case nil: return nil
        case .foreign:
            return
                "Tables of the history in schema '\(schemaName)', or its sequence, belong to another role than the store. Nothing "
                + "was written. Give them to the owner of the store, or drop them if the owner did not create them."
        case .isEmpty:
            return
                "\(history) is incomplete, as after restoring a dump without its rows. To begin a new history, \(reset)."
        case .restored:
            return
                "\(history) was restored from a dump or copied, so that later changes are missing. To begin a new history, "
                + "\(reset)."
        case .otherDatabase:
            return
                "\(history) was written in another database. To begin a new history in this copy, \(reset)."
        case .otherCluster, .future:
            return
                "\(history) was written in another database cluster. After pg_upgrade, run howdah history adopt. After "
                + "restoring a dump or cloning a cluster, \(reset)."
        }
    }
}
