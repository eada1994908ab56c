internal import PQClient

extension HistoryTables {
    /// A function of the store's owner that programs may call without rights on the rows that it changes.
    package enum Function: String, CaseIterable, Sendable {
        /// `() RETURNS boolean`: writes a heartbeat if the last one is older than four seconds or of another era. Returns true
        /// if it did.
        case heartbeat
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
    var functions: [String] {
        [
            definition(
                .rewound, "seen pg_catalog.pg_snapshot, of_era pg_catalog.text", "pg_catalog.pg_snapshot",
                rewound),
            definition(.heartbeat, "", "boolean", heartbeat),
            definition(.rotate, "", "boolean", rotation),
            definition(.purge, "chosen smallint", "boolean", purge, settings: " SET lock_timeout = '200ms'"),
            definition(
                .delete, "seen pg_catalog.pg_snapshot, physically boolean",
                "TABLE (held_by pg_catalog.text, removed bigint)", deletion),
            definition(.erase, "entities pg_catalog.text[], keys bigint[]", "bigint", erasure),
        ]
            + Function.allCases.map { "REVOKE ALL ON FUNCTION \(signature(of: $0)) FROM PUBLIC" }
    }

    private func definition(
        _ function: Function, _ arguments: String, _ result: String, _ body: String, settings: String = ""
    ) -> String {
        "CREATE FUNCTION \(name(of: function))(\(arguments)) RETURNS \(result) LANGUAGE plpgsql SECURITY DEFINER "
            + "SET search_path = pg_catalog, pg_temp\(settings) AS " + SQLLiteral.string("\n\(body)\n")
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
    private static func unseen(_ snapshot: String, of alias: String) -> String {
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

    private var heartbeat: String {
        """
        DECLARE
            present pg_catalog.text := \(Self.eraExpression);
            last \(state)%ROWTYPE;
        BEGIN
            SELECT s.* INTO last FROM \(state) AS s
                WHERE (s.heartbeat_era <> present OR s.heartbeat_at NOT BETWEEN pg_catalog.clock_timestamp() - interval '4 s'
                        AND pg_catalog.clock_timestamp())
                    AND s.system_identifier = \(Self.systemIdentifier) AND s.database_oid = \(Self.databaseIdentifier)
                    AND pg_catalog.pg_snapshot_xmax(s.heartbeat)
                        <= pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())
                FOR UPDATE SKIP LOCKED;
            IF NOT FOUND THEN RETURN FALSE; END IF;
            IF pg_catalog.current_setting('synchronous_commit') = 'off' THEN
                PERFORM pg_catalog.set_config('synchronous_commit', 'on', true);
            END IF;
            IF last.heartbeat_era <> present THEN
                INSERT INTO \(era) (ended_era, followed_by, heartbeat, heartbeat_at, noticed_at)
                    VALUES (last.heartbeat_era, present, last.heartbeat, last.heartbeat_at, pg_catalog.clock_timestamp())
                    ON CONFLICT (ended_era) DO NOTHING;
            END IF;
            UPDATE \(state) SET heartbeat = pg_catalog.pg_current_snapshot(),
                heartbeat_lsn = pg_catalog.pg_current_wal_insert_lsn(), heartbeat_era = present,
                heartbeat_at = pg_catalog.clock_timestamp();
            RETURN TRUE;
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
    private var slotPrefix: String { SQLLiteral.string(String(quoted("_").dropLast())) }

    /// Rows that `look` sees are judged without a lock. Under the lock the others are found by the index, so the lock is held
    /// for milliseconds. Rows of other transactions cannot come after it.
    private var purge: String {
        """
        DECLARE
            look pg_catalog.pg_snapshot;
            place pg_catalog.text := \(slotPrefix) || chosen::pg_catalog.text || '"';
            top pg_catalog.xid8;
            busy boolean;
            last \(state)%ROWTYPE;
            mark pg_catalog.pg_snapshot;
        BEGIN
            IF pg_catalog.current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
                RAISE EXCEPTION USING ERRCODE = 'invalid_transaction_state',
                    MESSAGE = 'History is purged at the isolation level read committed only.';
            END IF;
            IF chosen NOT BETWEEN 0 AND \(Self.slots - 1) OR NOT EXISTS (SELECT FROM \(current) AS c
                WHERE coalesce(c.slot, 0) <> chosen) THEN RETURN FALSE; END IF;
            SELECT pg_catalog.pg_current_snapshot() INTO look;
            SELECT s.* INTO last FROM \(state) AS s;
            EXECUTE pg_catalog.format('SELECT r.txid FROM %s AS r ORDER BY r.txid DESC LIMIT 1', place) INTO top;
            IF top IS NULL THEN RETURN FALSE; END IF;
            FOR mark IN SELECT \(name(of: .rewound))(c.snapshot, c.era) FROM \(consumer) AS c LOOP
                IF mark IS NULL THEN RETURN FALSE; END IF;
                EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM %s AS r WHERE \(Self.unseen("$1", of: "r")))', place)
                    INTO busy USING mark;
                IF busy THEN RETURN FALSE; END IF;
                -- A token expires if it lists a transaction up to the greatest truncated one that has ended since.
                IF EXISTS (SELECT FROM pg_catalog.pg_snapshot_xip(mark) AS x(id) WHERE x.id <= greatest(last.purged_txid, top)
                    AND pg_catalog.pg_visible_in_snapshot(x.id, look)) THEN RETURN FALSE; END IF;
            END LOOP;
            EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM %s AS r WHERE \(Self.unseen("$1", of: "r")))', place)
                INTO busy USING last.deleted;
            IF busy THEN
                IF last.closed_at[chosen] > pg_catalog.clock_timestamp() - last.retention THEN RETURN FALSE; END IF;
                EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM %s AS r WHERE r.stored_at > $1 '
                    'AND NOT pg_catalog.pg_visible_in_snapshot(r.txid, $2))', place)
                    INTO busy USING pg_catalog.clock_timestamp() - last.retention, last.deleted;
                IF busy THEN RETURN FALSE; END IF;
            END IF;
            BEGIN
                PERFORM FROM \(state) AS s FOR UPDATE;
                EXECUTE pg_catalog.format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', place);
            EXCEPTION WHEN lock_not_available THEN RETURN FALSE;
            END;
            EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM %s AS r WHERE \(Self.unseen("$1", of: "r")))', place)
                INTO busy USING look;
            IF busy THEN RETURN FALSE; END IF;
            UPDATE \(state) SET purged_txid = greatest(purged_txid, top),
                purged_at = look, closed_at[chosen] = NULL;
            EXECUTE pg_catalog.format('TRUNCATE %s', place);
            RETURN TRUE;
        END
        """
    }

    private var deletion: String {
        """
        DECLARE
            mark record;
            busy boolean;
            before pg_catalog.pg_snapshot;
            greater pg_catalog.pg_snapshot;
            lesser pg_catalog.pg_snapshot;
            place pg_catalog.text;
            count bigint;
        BEGIN
            IF pg_catalog.pg_snapshot_xmax(seen) > pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) THEN
                RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
                    MESSAGE = 'The snapshot is of the future, so that it is another server''s.';
            END IF;
            SELECT s.deleted INTO before FROM \(state) AS s FOR UPDATE;
            removed := 0;
            FOR mark IN SELECT c.name, \(name(of: .rewound))(c.snapshot, c.era) AS snapshot
                FROM \(consumer) AS c ORDER BY c.acknowledged_at, c.name LOOP
                IF mark.snapshot IS NULL THEN
                    SELECT EXISTS (SELECT FROM \(history) AS r WHERE pg_catalog.pg_visible_in_snapshot(r.txid, seen))
                        INTO busy;
                ELSE
                    SELECT EXISTS (SELECT FROM \(history) AS r WHERE \(Self.unseen("mark.snapshot", of: "r"))
                        AND pg_catalog.pg_visible_in_snapshot(r.txid, seen)
                        AND NOT pg_catalog.pg_visible_in_snapshot(r.txid, before)) INTO busy;
                END IF;
                IF busy THEN
                    held_by := mark.name;
                    RETURN NEXT;
                    RETURN;
                END IF;
            END LOOP;
            IF pg_catalog.pg_snapshot_xmax(before) > pg_catalog.pg_snapshot_xmax(seen) THEN
                greater := before;
                lesser := seen;
            ELSE
                greater := seen;
                lesser := before;
            END IF;
            UPDATE \(state) AS s SET deleted = (
                SELECT (coalesce((pg_catalog.array_agg(o.x ORDER BY o.x))[1], pg_catalog.pg_snapshot_xmax(greater))::pg_catalog.text
                        || ':' || pg_catalog.pg_snapshot_xmax(greater)::pg_catalog.text || ':'
                        || coalesce(pg_catalog.string_agg(o.x::pg_catalog.text, ',' ORDER BY o.x), ''))::pg_catalog.pg_snapshot
                FROM pg_catalog.pg_snapshot_xip(greater) AS o(x)
                WHERE NOT pg_catalog.pg_visible_in_snapshot(o.x, lesser));
            IF physically THEN
                FOR chosen IN 0..\(Self.slots - 1) LOOP
                    place := \(slotPrefix) || chosen::pg_catalog.text || '"';
                    EXECUTE pg_catalog.format('DELETE FROM %1$s WHERE (number, part) IN (SELECT r.number, r.part '
                        'FROM %1$s AS r WHERE pg_catalog.pg_visible_in_snapshot(r.txid, $1) LIMIT $2)', place)
                        USING seen, 10000 - removed;
                    GET DIAGNOSTICS count = ROW_COUNT;
                    removed := removed + count;
                    EXIT WHEN removed >= 10000;
                END LOOP;
            END IF;
            RETURN NEXT;
        END
        """
    }

    private var erasure: String {
        """
        DECLARE
            count bigint;
        BEGIN
            UPDATE \(history) AS h SET tombstones = (
                SELECT pg_catalog.jsonb_agg(CASE WHEN i.id = ANY (keys) THEN 'null'::pg_catalog.jsonb ELSE t.value END
                    ORDER BY i.place)
                FROM pg_catalog.unnest(h.ids) WITH ORDINALITY AS i(id, place)
                LEFT JOIN pg_catalog.jsonb_array_elements(h.tombstones) WITH ORDINALITY AS t(value, place)
                    ON t.place = i.place)
            WHERE h.entity = ANY (entities) AND h.kind = 2 AND h.tombstones IS NOT NULL AND h.ids && keys;
            GET DIAGNOSTICS count = ROW_COUNT;
            RETURN count;
        END
        """
    }
}
