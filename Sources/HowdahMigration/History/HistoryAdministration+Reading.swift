internal import Foundation
internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension HistoryAdministration {
    /// The number of keys that an entry of ``list(limit:of:)`` names.
    private static let namedKeys = 10

    /// Returns the state of the history.
    ///
    /// - Throws: `MigrationError` with `noHistory` or `database`.
    package func status() throws -> HistoryStatus {
        try MigrationError.wrapping {
            let record = try record(checked: false)
            let slots = try (0..<HistoryTables.slots).map { number in
                let found = try connection.query(
                    """
                    SELECT pg_catalog.pg_total_relation_size(\(SQLLiteral.string(tables.slot(number)))::pg_catalog.regclass),
                        (SELECT greatest(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - r."stored_at"), 0)::pg_catalog.int8
                            FROM \(tables.history) AS r WHERE r."slot" = \(number) ORDER BY r."number", r."part" LIMIT 1)
                    """, cached: false
                ).first { ($0[0].int64, $0[1].isNull ? nil : $0[1].int64) }
                return HistoryStatus.Slot(
                    number: number, bytes: found?.0 ?? 0, isUsed: found?.1 != nil, oldestAge: found?.1)
            }
            let state = try connection.query(
                """
                SELECT c."slot"::pg_catalog.int8, coalesce(c."opened_at"::pg_catalog.text, ''),
                    coalesce(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - s."heartbeat_at")::pg_catalog.int8, 0),
                    coalesce(pg_catalog.array_to_string(s."tracked", E'\\x1f'), '')
                FROM (SELECT) AS one LEFT JOIN \(tables.current) AS c ON TRUE LEFT JOIN \(tables.state) AS s ON TRUE
                """, cached: false
            ).map { ($0[0].isNull ? nil : Int($0[0].int64), $0[1].string(), $0[2].int64, $0[3].string()) }
                .first
            return HistoryStatus(
                phase: record.phase.rawValue, incarnation: record.incarnation.uuidString.lowercased(),
                retention: record.retention.components.seconds, current: state?.0, openedAt: state?.1 ?? "",
                heartbeatAge: state?.2 ?? 0, bytes: slots.reduce(0) { $0 + $1.bytes },
                oldestAge: slots.compactMap(\.oldestAge).max(),
                tracked: (state?.3 ?? "").split(separator: "\u{1F}").map(String.init).sorted(), slots: slots,
                consumers: try consumers(), refusal: record.refusal(in: schemaName))
        }
    }

    /// The consumers, the one that has read least recently first.
    func consumers() throws -> [HistoryStatus.Consumer] {
        // The eras lead from each position to the present; who asks may lack the right to the owner's function.
        try connection.query(
            """
            WITH RECURSIVE present(era) AS (SELECT \(HistoryTables.eraExpression)),
            links AS (SELECT e."ended_era" AS ended, e."followed_by" AS follower FROM \(tables.era) AS e
                UNION SELECT s."heartbeat_era", p.era FROM \(tables.state) AS s, present AS p WHERE s."heartbeat_era" <> p.era),
            path(name, era) AS (SELECT c."name", c."era" FROM \(tables.consumer) AS c
                UNION SELECT p.name, l.follower FROM path AS p JOIN links AS l ON l.ended = p.era)
            SELECT c."name", c."registered_at"::pg_catalog.text, c."acknowledged_at"::pg_catalog.text,
                EXTRACT(epoch FROM pg_catalog.clock_timestamp() - c."acknowledged_at")::pg_catalog.int8,
                u.number IS NOT NULL,
                NOT EXISTS (SELECT FROM path AS p, present AS n WHERE p.name = c."name" AND p.era = n.era),
                coalesce(greatest(EXTRACT(epoch FROM pg_catalog.clock_timestamp() - u.stored_at), 0), 0)::pg_catalog.int8,
                coalesce((SELECT r."number" FROM \(tables.history) AS r ORDER BY r."number" DESC LIMIT 1) - u.number + 1, 0)
            FROM \(tables.consumer) AS c LEFT JOIN LATERAL (
                -- The oldest change of each of the two, by the index.
                SELECT o."number", o."stored_at" FROM (
                    (SELECT r."txid", r."number", r."stored_at" FROM \(tables.history) AS r
                        WHERE r."txid" >= pg_catalog.pg_snapshot_xmax(c."snapshot") ORDER BY r."txid" LIMIT 1)
                    UNION ALL (SELECT r."txid", r."number", r."stored_at" FROM \(tables.history) AS r
                        WHERE r."txid" = ANY (ARRAY(SELECT pg_catalog.pg_snapshot_xip(c."snapshot")))
                        ORDER BY r."txid" LIMIT 1)) AS o
                ORDER BY o."txid" LIMIT 1) AS u ON TRUE
            ORDER BY c."acknowledged_at", c."name"
            """, cached: false
        ).map {
            HistoryStatus.Consumer(
                name: $0[0].string(), registeredAt: $0[1].string(), acknowledgedAt: $0[2].string(),
                age: $0[3].int64,
                isBehind: $0[4].bool, lag: $0[6].int64, unread: $0[7].int64, isLost: $0[5].bool)
        }
    }

    /// Returns the newest rows of the history, newest first.
    ///
    /// - Parameters:
    ///   - limit: The number of rows.
    ///   - entity: The stored name of an entity; nil for all.
    /// - Throws: `MigrationError` with `noHistory`, `unknownEntity` or `database`.
    package func list(limit: Int, of entity: String? = nil) throws -> [HistoryEntry] {
        try MigrationError.wrapping {
            _ = try record(checked: false)
            var parameters = Parameters()
            parameters.append(Int64(limit))
            if let entity { try parameters.append(entity) }
            let entries = try connection.query(
                """
                SELECT r."number", r."part", r."stored_at"::pg_catalog.text, r."origin"::pg_catalog.int4, r."entity",
                    r."kind"::pg_catalog.int4, pg_catalog.array_to_string(r."properties", E'\\x1f'),
                    pg_catalog.cardinality(r."ids"), coalesce(pg_catalog.array_to_string(r."ids"[1:\(Self.namedKeys)], ','), ''),
                    r."author", r."context", r."process"
                FROM \(tables.history) AS r \(entity == nil ? "" : "WHERE r.\"entity\" = $2")
                ORDER BY r."number" DESC, r."part" DESC LIMIT $1
                """, parameters, cached: false
            ).map { row in
                func text(_ place: Int) -> String? { row[place].isNull ? nil : row[place].string() }
                return HistoryEntry(
                    number: row[0].int64, part: row[1].int32, storedAt: row[2].string(),
                    origin: Self.word(["save", "batch", "other", "migration"], row[3].int32),
                    entity: row[4].string(), kind: Self.word(["insert", "update", "delete"], row[5].int32),
                    properties: text(6).map { $0.split(separator: "\u{1F}").map(String.init) },
                    count: Int(row[7].int32),
                    ids: row[8].string().split(separator: ",").compactMap { Int64($0) },
                    author: text(9), context: text(10), process: text(11))
            }
            // A former model may have had the entity.
            if entries.isEmpty, let entity { try check(entity) }
            return entries
        }
    }

    /// - Throws: `MigrationError` with `unknownEntity` if the store's model has no entity with a stored name.
    private func check(_ storedName: String) throws {
        guard let record = try StoreRecord(in: schemaName, on: connection, for: .reading) else { return }
        let names = try record.migratableModel().entities.map(\.storedName)
        if names.contains(storedName) { return }
        throw MigrationError(
            .unknownEntity,
            "The history has no changes of an entity '\(storedName)', and the store's model has no entity with this stored "
                + "name. Name one of: \(names.sorted().joined(separator: ", ")).")
    }

    private static func word(_ words: [String], _ place: Int32) -> String {
        words.indices.contains(Int(place)) ? words[Int(place)] : "\(place)"
    }
}
