internal import PQClient

/// The functions of the store's owner that remove history.
extension HistoryTables {
    /// Refuses to run in a snapshot, which would not show what was committed while a lock was awaited.
    private static let refusalOfSnapshots = """
        IF pg_catalog.current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
                RAISE EXCEPTION USING ERRCODE = 'invalid_transaction_state',
                    MESSAGE = 'History is removed at the isolation level read committed only.';
            END IF;
        """

    /// Rows that `look` sees are judged without a lock. Under the lock the others are found by the index, so the lock is held
    /// for milliseconds. Rows of other transactions cannot come after it.
    ///
    /// Consumers are judged without a lock, too. Under the lock of the state, which a registration shares, only those are
    /// judged that have come since.
    var purge: String {
        """
        DECLARE
            look pg_catalog.pg_snapshot;
            place pg_catalog.text := \(slotPrefix) || chosen::pg_catalog.text || '"';
            top pg_catalog.xid8;
            busy boolean;
            last \(state)%ROWTYPE;
            one record;
            judged pg_catalog.text[] := '{}';
        BEGIN
            \(Self.refusalOfSnapshots)
            IF chosen NOT BETWEEN 0 AND \(Self.slots - 1) OR NOT EXISTS (SELECT FROM \(current) AS c
                WHERE coalesce(c.slot, 0) <> chosen) THEN RETURN FALSE; END IF;
            SELECT s.* INTO last FROM \(state) AS s;
            SELECT pg_catalog.pg_current_snapshot() INTO look;
            EXECUTE pg_catalog.format('SELECT r.txid FROM %s AS r ORDER BY r.txid DESC LIMIT 1', place) INTO top;
            IF top IS NULL THEN RETURN FALSE; END IF;
            \(consumersJudged)
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
                SELECT s.purged_txid <> last.purged_txid OR s.purged_at::pg_catalog.text <> last.purged_at::pg_catalog.text
                    INTO busy FROM \(state) AS s FOR UPDATE;
            EXCEPTION WHEN lock_not_available THEN RETURN FALSE;
            END;
            -- Another purge has looked later, perhaps, and consumers were judged without what it changed.
            IF busy THEN RETURN FALSE; END IF;
            \(consumersJudged)
            BEGIN
                EXECUTE pg_catalog.format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', place);
            EXCEPTION WHEN lock_not_available THEN RETURN FALSE;
            END;
            EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM %s AS r WHERE \(Self.unseen("$1", of: "r")))', place)
                INTO busy USING look;
            IF busy THEN RETURN FALSE; END IF;
            IF EXISTS (SELECT FROM \(state) AS s WHERE \(Self.isOwnServer)) THEN
                \(beat)
            END IF;
            UPDATE \(state) SET purged_txid = greatest(purged_txid, top),
                purged_at = look, closed_at[chosen] = NULL;
            EXECUTE pg_catalog.format('TRUNCATE %s', place);
            RETURN TRUE;
        END
        """
    }

    /// The part of a purge that returns false for a consumer that may need a row of the slot.
    ///
    /// It judges each registration once: a later position of a consumer needs no row that the former one does not.
    private var consumersJudged: String {
        """
        FOR one IN SELECT \(name(of: .rewound))(c.snapshot, c.era) AS mark, k.key FROM \(consumer) AS c,
                LATERAL (SELECT c.name || ' ' || c.registered_at::pg_catalog.text AS key) AS k
                WHERE NOT k.key = ANY (judged) LOOP
                IF one.mark IS NULL THEN RETURN FALSE; END IF;
                EXECUTE pg_catalog.format('SELECT EXISTS (SELECT FROM %s AS r WHERE \(Self.unseen("$1", of: "r")))', place)
                    INTO busy USING one.mark;
                IF busy THEN RETURN FALSE; END IF;
                -- A token expires if it lists a transaction up to the greatest truncated one that has ended since.
                IF EXISTS (SELECT FROM pg_catalog.pg_snapshot_xip(one.mark) AS x(id)
                    WHERE x.id <= greatest(last.purged_txid, top) AND pg_catalog.pg_visible_in_snapshot(x.id, look))
                    THEN RETURN FALSE; END IF;
                judged := judged || one.key;
            END LOOP;
        """
    }

    /// A consumer that has read everything does not see what came after its position, its own acknowledgement for one.
    /// So only transactions that each consumer sees count as deleted: else its token would expire. Nothing else is kept
    /// for it, because no row lies between.
    var deletion: String {
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
            \(Self.refusalOfSnapshots)
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
                IF mark.snapshot IS NOT NULL THEN
                    SELECT (coalesce((pg_catalog.array_agg(o.x ORDER BY o.x))[1], e.top)::pg_catalog.text
                            || ':' || e.top::pg_catalog.text || ':'
                            || coalesce(pg_catalog.string_agg(o.x::pg_catalog.text, ',' ORDER BY o.x), ''))::pg_catalog.pg_snapshot
                        INTO seen
                        FROM (SELECT least(pg_catalog.pg_snapshot_xmax(seen), pg_catalog.pg_snapshot_xmax(mark.snapshot)) AS top) AS e
                        LEFT JOIN (SELECT x.id FROM pg_catalog.pg_snapshot_xip(seen) AS x(id)
                            UNION SELECT x.id FROM pg_catalog.pg_snapshot_xip(mark.snapshot) AS x(id)) AS o(x) ON o.x < e.top
                        GROUP BY e.top;
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
            IF EXISTS (SELECT FROM \(state) AS s WHERE \(Self.isOwnServer)) THEN
                \(beat)
            END IF;
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

    var erasure: String {
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
            WHERE h.entity = ANY (entities) AND h.kind = 2 AND h.tombstones IS NOT NULL AND h.ids && keys
                AND EXISTS (SELECT FROM pg_catalog.unnest(h.ids) WITH ORDINALITY AS i(id, place)
                    WHERE i.id = ANY (keys)
                        AND h.tombstones -> (i.place - 1)::pg_catalog.int4 IS DISTINCT FROM 'null'::pg_catalog.jsonb
                        AND h.tombstones -> (i.place - 1)::pg_catalog.int4 IS NOT NULL);
            GET DIAGNOSTICS count = ROW_COUNT;
            RETURN count;
        END
        """
    }
}
