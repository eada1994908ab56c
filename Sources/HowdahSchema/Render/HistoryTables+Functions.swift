internal import PQClient

extension HistoryTables {
    /// A function of the store's owner that programs may call without rights on the rows that it changes.
    package enum Function: String, CaseIterable, Sendable {
        /// `() RETURNS boolean`: writes a heartbeat if the last one is older than four seconds or of another era. Returns true
        /// if it did.
        case heartbeat
        /// `(text, text, pg_snapshot, text) RETURNS boolean`: registers a consumer by its name, token, snapshot and era,
        /// unless there is one of the name. It waits for a removal of history that has begun, and later ones see the
        /// consumer. Returns true if it did.
        case register
        /// `() RETURNS boolean`: lets programs write the next empty slot if the current one is old or large. Returns true if
        /// it did.
        case rotate
        /// `(smallint) RETURNS boolean`: truncates a slot if all of its rows are older than the retention and every
        /// consumer has read them. Returns true if it did.
        case purge
        /// `(pg_snapshot, boolean) RETURNS TABLE (held_by text, removed bigint)`: hides the changes that the snapshot sees.
        /// If a consumer has not read all of them, it returns its name and does nothing. With true, it also deletes up to 10,000
        /// of the rows. Call it until it removes none.
        case delete
        /// `(text[], bigint[]) RETURNS bigint`: removes the preserved values of deleted objects, by the stored names of
        /// their entities. Returns the number of rows of history that it changed.
        case erase
        /// `(pg_snapshot, text) RETURNS pg_snapshot`: the part of a snapshot of an era that is still valid now; NULL if that is
        /// unknown.
        case rewound

        /// The types of its arguments.
        var arguments: String {
            switch self {
            case .heartbeat, .rotate: ""
            case .register: "pg_catalog.text, pg_catalog.text, pg_catalog.pg_snapshot, pg_catalog.text"
            case .purge: "smallint"
            case .delete: "pg_catalog.pg_snapshot, boolean"
            case .erase: "pg_catalog.text[], bigint[]"
            case .rewound: "pg_catalog.pg_snapshot, pg_catalog.text"
            }
        }
    }

    /// The name of a function, quoted and with its schema.
    package func name(of function: Function) -> String { quoted("_\(function.rawValue)") }

    /// The function as `GRANT` and `DROP` name it.
    package func signature(of function: Function) -> String { "\(name(of: function))(\(function.arguments))" }

    /// The statements that create the functions. No other role may call them yet.
    var functions: [String] { Function.allCases.flatMap(creation) }

    /// The statements that create a function, or replace it.
    func creation(of function: Function) -> [String] {
        let (arguments, result) = declaration(of: function)
        let settings = settings(of: function).map { setting in
            let parts = setting.split(separator: "=", maxSplits: 1)
            // A list of schemas is no text.
            return
                " SET \(parts[0]) = \(parts[0] == "search_path" ? String(parts[1]) : SQLLiteral.string(String(parts[1])))"
        }.joined()
        return [
            "CREATE OR REPLACE FUNCTION \(name(of: function))(\(arguments)) RETURNS \(result) LANGUAGE plpgsql "
                + "SECURITY DEFINER\(settings) AS "
                + SQLLiteral.string(body(of: function)),
            "REVOKE ALL ON FUNCTION \(signature(of: function)) FROM PUBLIC",
        ]
    }

    /// The settings under which a function runs, as the catalog has them.
    func settings(of function: Function) -> [String] {
        ["search_path=pg_catalog, pg_temp"] + (function == .purge ? ["lock_timeout=200ms"] : [])
    }

    private func declaration(of function: Function) -> (arguments: String, result: String) {
        switch function {
        case .rewound:
            ("seen pg_catalog.pg_snapshot, of_era pg_catalog.text", "pg_catalog.pg_snapshot")
        case .heartbeat, .rotate: ("", "boolean")
        case .register:
            (
                "chosen pg_catalog.text, place pg_catalog.text, seen pg_catalog.pg_snapshot, of_era pg_catalog.text",
                "boolean"
            )
        case .purge: ("chosen smallint", "boolean")
        case .delete:
            (
                "seen pg_catalog.pg_snapshot, physically boolean",
                "TABLE (held_by pg_catalog.text, removed bigint)"
            )
        case .erase: ("entities pg_catalog.text[], keys bigint[]", "bigint")
        }
    }

    /// The text of a function, as the server keeps it.
    func body(of function: Function) -> String {
        let body =
            switch function {
            case .rewound: rewound
            case .heartbeat: heartbeat
            case .register: registration
            case .rotate: rotation
            case .purge: purge
            case .delete: deletion
            case .erase: erasure
            }
        return "\n\(body)\n"
    }

    /// The snapshot that sees what both see.
    private func intersection(_ one: String, _ other: String) -> String {
        """
        (SELECT (coalesce((pg_catalog.array_agg(open.x ORDER BY open.x))[1], edge.x)::pg_catalog.text || ':'
                || edge.x::pg_catalog.text || ':'
                || coalesce(pg_catalog.string_agg(open.x::pg_catalog.text, ',' ORDER BY open.x), ''))::pg_catalog.pg_snapshot
            FROM (SELECT least(pg_catalog.pg_snapshot_xmax(\(one)), pg_catalog.pg_snapshot_xmax(\(other))) AS x) AS edge
            LEFT JOIN (SELECT pg_catalog.pg_snapshot_xip(\(one)) AS x UNION SELECT pg_catalog.pg_snapshot_xip(\(other)))
                AS open ON open.x < edge.x
            GROUP BY edge.x)
        """
    }

    /// The rows of a table that a snapshot does not see, by the index on `txid`.
    static func unseen(_ snapshot: String, of alias: String) -> String {
        "(\(alias).txid >= pg_catalog.pg_snapshot_xmax(\(snapshot)) "
            + "OR \(alias).txid = ANY (ARRAY(SELECT pg_catalog.pg_snapshot_xip(\(snapshot))))) "
            + "AND NOT pg_catalog.pg_visible_in_snapshot(\(alias).txid, \(snapshot))"
    }

    private var rewound: String {
        """
        DECLARE
            present pg_catalog.text := \(Self.eraExpression);
            beat pg_catalog.pg_snapshot;
            follower pg_catalog.text;
        BEGIN
            WHILE of_era <> present LOOP
                SELECT e.heartbeat, e.followed_by INTO beat, follower FROM \(era) AS e WHERE e.ended_era = of_era;
                IF NOT FOUND THEN
                    -- Nobody has noticed the present era yet.
                    SELECT s.heartbeat, present INTO beat, follower FROM \(state) AS s WHERE s.heartbeat_era = of_era;
                    IF NOT FOUND THEN RETURN NULL; END IF;
                END IF;
                seen := \(intersection("seen", "beat"));
                of_era := follower;
            END LOOP;
            RETURN seen;
        END
        """
    }

    /// The statements that write a heartbeat, also as the part of a function.
    ///
    /// Whatever removes history writes one in its transaction. The next era takes a token back to the last heartbeat of the
    /// token's era, and there must be no removed change between the two.
    package var beat: String {
        """
        INSERT INTO \(era) (ended_era, followed_by, heartbeat, heartbeat_at, noticed_at)
                SELECT s.heartbeat_era, \(Self.eraExpression), s.heartbeat, s.heartbeat_at, pg_catalog.clock_timestamp()
                FROM \(state) AS s WHERE s.heartbeat_era <> \(Self.eraExpression)
                ON CONFLICT (ended_era) DO NOTHING;
            UPDATE \(state) SET heartbeat = pg_catalog.pg_current_snapshot(),
                heartbeat_lsn = pg_catalog.pg_current_wal_insert_lsn(), heartbeat_era = \(Self.eraExpression),
                heartbeat_at = pg_catalog.clock_timestamp();
        """
    }

    /// The condition under which the server can be that of the history `s`, and no copy of it.
    static let isOwnServer = """
        s.system_identifier = \(systemIdentifier) AND s.database_oid = \(databaseIdentifier)
                    AND s.table_oid = s.tableoid
                    AND pg_catalog.pg_snapshot_xmax(s.heartbeat)
                        <= pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())
        """

    private var heartbeat: String {
        """
        DECLARE
            present pg_catalog.text := \(Self.eraExpression);
        BEGIN
            PERFORM FROM \(state) AS s
                WHERE (s.heartbeat_era <> present OR s.heartbeat_at NOT BETWEEN pg_catalog.clock_timestamp() - interval '4 s'
                        AND pg_catalog.clock_timestamp())
                    AND \(Self.isOwnServer)
                FOR UPDATE SKIP LOCKED;
            IF NOT FOUND THEN RETURN FALSE; END IF;
            IF pg_catalog.current_setting('synchronous_commit') = 'off' THEN
                PERFORM pg_catalog.set_config('synchronous_commit', 'on', true);
            END IF;
            \(beat)
            RETURN TRUE;
        END
        """
    }

    private var registration: String {
        """
        BEGIN
            PERFORM FROM \(state) AS s FOR SHARE;
            INSERT INTO \(consumer) (name, token, snapshot, era, registered_at, acknowledged_at)
                VALUES (chosen, place, seen, of_era, pg_catalog.clock_timestamp(), pg_catalog.clock_timestamp())
                ON CONFLICT (name) DO NOTHING;
            RETURN FOUND;
        END
        """
    }

    private var rotation: String {
        """
        DECLARE
            now_written \(current)%ROWTYPE;
            candidate integer;
            is_empty boolean;
        BEGIN
            SELECT c.* INTO now_written FROM \(current) AS c, \(state) AS s WHERE c.slot IS NOT NULL
                AND (c.opened_at < pg_catalog.clock_timestamp() - s.retention / 6 OR pg_catalog.pg_total_relation_size(
                    (\(slotPrefix) || c.slot::pg_catalog.text || '"')::pg_catalog.regclass) > 20::bigint << 30)
                FOR UPDATE OF c SKIP LOCKED;
            IF NOT FOUND THEN RETURN FALSE; END IF;
            FOR distance IN 1..\(Self.slots - 1) LOOP
                candidate := (now_written.slot + distance) % \(Self.slots);
                EXECUTE pg_catalog.format('SELECT NOT EXISTS (SELECT FROM %s)',
                    \(slotPrefix) || candidate::pg_catalog.text || '"') INTO is_empty;
                IF is_empty THEN
                    UPDATE \(state) SET closed_at[now_written.slot] = pg_catalog.clock_timestamp(), closed_at[candidate] = NULL;
                    UPDATE \(current) SET slot = candidate, opened_at = pg_catalog.clock_timestamp();
                    RETURN TRUE;
                END IF;
            END LOOP;
            RETURN FALSE;
        END
        """
    }

    /// The first part of a slot's name, quoted and as a literal.
    var slotPrefix: String { SQLLiteral.string(String(quoted("_").dropLast())) }
}
