internal import PQClient

extension HistoryTables {
    /// Returns an SQL expression for a time as text by ISO 8601, whatever the settings of the session are.
    package static func text(of time: String) -> String {
        "pg_catalog.to_char(pg_catalog.timezone('UTC'::pg_catalog.text, \(time)), "
            + "'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'::pg_catalog.text)"
    }

    /// The statements that measure the history: its slots, its state, and its consumers.
    var measurement: [String] { [slotMeasurement, stateMeasurement, consumerMeasurement] }

    private var slotMeasurement: String {
        (0..<Self.slots).map { number in
            // The names of slots as literals, so that each part opens one slot.
            """
            SELECT \(number), pg_catalog.pg_total_relation_size(\(SQLLiteral.string(slot(number)))::pg_catalog.regclass),
                (SELECT greatest(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - r."stored_at"), 0)::pg_catalog.int8
                    FROM \(history) AS r WHERE r."slot" = \(number) ORDER BY r."number", r."part" LIMIT 1),
                coalesce((SELECT c."slot" <> \(number)
                        AND coalesce(s."closed_at"[\(number)], r."stored_at") <= pg_catalog.clock_timestamp() - s."retention"
                        AND r."stored_at" <= pg_catalog.clock_timestamp() - s."retention"
                    FROM \(history) AS r, \(state) AS s, \(current) AS c WHERE r."slot" = \(number)
                    ORDER BY r."number" DESC, r."part" DESC LIMIT 1), FALSE)
            """
        }.joined(separator: "\nUNION ALL ") + "\nORDER BY 1"
    }

    private var stateMeasurement: String {
        """
        SELECT c."slot"::pg_catalog.int8, coalesce(\(Self.text(of: "c.\"opened_at\"")), ''),
            coalesce(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - s."heartbeat_at")::pg_catalog.int8, 0),
            coalesce(pg_catalog.array_to_string(s."tracked", E'\\x1f'), '')
        FROM (SELECT) AS one LEFT JOIN \(current) AS c ON TRUE LEFT JOIN \(state) AS s ON TRUE
        """
    }

    /// The consumers, the one that has read least recently first.
    ///
    /// The eras lead from each position to the present; who asks may lack the right to the owner's function.
    private var consumerMeasurement: String {
        """
        WITH RECURSIVE present(era) AS (SELECT \(Self.eraExpression)),
        links AS (SELECT e."ended_era" AS ended, e."followed_by" AS follower FROM \(era) AS e
            UNION SELECT s."heartbeat_era", p.era FROM \(state) AS s, present AS p WHERE s."heartbeat_era" <> p.era),
        path(name, era) AS (SELECT c."name", c."era" FROM \(consumer) AS c
            UNION SELECT p.name, l.follower FROM path AS p JOIN links AS l ON l.ended = p.era)
        SELECT c."name", \(Self.text(of: "c.\"registered_at\"")), \(Self.text(of: "c.\"acknowledged_at\"")),
            EXTRACT(epoch FROM pg_catalog.clock_timestamp() - c."acknowledged_at")::pg_catalog.int8,
            u.number IS NOT NULL,
            NOT EXISTS (SELECT FROM path AS p, present AS n WHERE p.name = c."name" AND p.era = n.era),
            coalesce(greatest(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - u.stored_at), 0), 0)::pg_catalog.int8,
            coalesce((SELECT r."number" FROM \(history) AS r ORDER BY r."number" DESC LIMIT 1) - u.number + 1, 0),
            u.slot::pg_catalog.int4
        FROM \(consumer) AS c LEFT JOIN LATERAL (
            -- The oldest change of each of the two, by the index.
            SELECT o."number", o."stored_at", o."slot" FROM (
                (SELECT r."txid", r."number", r."stored_at", r."slot" FROM \(history) AS r
                    WHERE r."txid" >= pg_catalog.pg_snapshot_xmax(c."snapshot") ORDER BY r."txid" LIMIT 1)
                UNION ALL (SELECT r."txid", r."number", r."stored_at", r."slot" FROM \(history) AS r
                    WHERE r."txid" = ANY (ARRAY(SELECT pg_catalog.pg_snapshot_xip(c."snapshot")))
                    ORDER BY r."txid" LIMIT 1)) AS o
            ORDER BY o."txid" LIMIT 1) AS u ON TRUE
        ORDER BY c."acknowledged_at", c."name"
        """
    }
}
