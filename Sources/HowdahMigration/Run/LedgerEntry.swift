internal import HowdahModel
internal import HowdahSchema
package import PQClient

/// A stage that was done to a store, as its ledger has it.
package struct LedgerEntry: Hashable, Sendable, Codable {
    package let number: Int64
    /// What the program called the stage.
    package let label: String
    /// The checksum of the model that the store had before.
    package let fromChecksum: String
    /// The checksum of the model that it had afterwards.
    package let toChecksum: String
    /// In ISO 8601, UTC.
    package let began: String
    package let seconds: Double
    package let stepCount: Int64
    /// Where the program ran; nil in rows of earlier versions of the library.
    package let host: String?
    /// As whom.
    package let role: String?

    /// All of a store, the first first; empty where nothing was migrated yet. Reads only.
    ///
    /// - Throws: `PostgresError`.
    package static func all(in schemaName: String, on connection: Connection) throws -> [LedgerEntry] {
        let columns = try MigrationLedger.columns(in: schemaName, on: connection)
        if columns.isEmpty { return [] }
        let who = columns.contains("host") ? "\"host\", \"role\"" : "NULL::text, NULL::text"
        return try connection.query(
            """
            SELECT "number", "label", "from_checksum", "to_checksum",
                pg_catalog.to_char("began_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                EXTRACT(EPOCH FROM "ended_at" - "began_at")::pg_catalog.float8,
                pg_catalog.jsonb_array_length(COALESCE("steps" -> 'steps', '[]'))::pg_catalog.int8, \(who)
            FROM \(MigrationLedger.table(in: schemaName)) ORDER BY "number"
            """, cached: false
        ).map { row in
            LedgerEntry(
                number: row[0].int64, label: row[1].string(), fromChecksum: row[2].string(),
                toChecksum: row[3].string(), began: row[4].string(), seconds: row[5].double,
                stepCount: row[6].int64, host: row[7].isNull ? nil : row[7].string(),
                role: row[8].isNull ? nil : row[8].string())
        }
    }
}
