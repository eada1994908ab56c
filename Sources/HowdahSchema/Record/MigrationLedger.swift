internal import Foundation
package import HowdahModel
package import PQClient

/// The table in which a store keeps what was done to it, a row for each stage; made with the first.
package enum MigrationLedger {
    package static let name = "_howdah_migration"

    package static func creation(in namespace: String) -> String {
        """
        CREATE TABLE IF NOT EXISTS \(table(in: namespace)) (
            "number" bigint GENERATED ALWAYS AS IDENTITY,
            "from_checksum" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
            "to_checksum" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
            "label" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
            "steps" pg_catalog.jsonb NOT NULL,
            "began_at" timestamp with time zone NOT NULL DEFAULT pg_catalog.now(),
            "ended_at" timestamp with time zone NOT NULL DEFAULT pg_catalog.clock_timestamp(),
            "host" pg_catalog.text COLLATE pg_catalog."C",
            "role" pg_catalog.text COLLATE pg_catalog."C" DEFAULT CURRENT_USER,
            CONSTRAINT "_howdah_migration_pkey" PRIMARY KEY ("number")
        )
        """
    }

    /// For ledgers that were made before host and role were kept.
    private static func widening(in namespace: String) -> String {
        "ALTER TABLE \(table(in: namespace)) ADD COLUMN \"host\" pg_catalog.text COLLATE pg_catalog.\"C\", "
            + "ADD COLUMN \"role\" pg_catalog.text COLLATE pg_catalog.\"C\" DEFAULT CURRENT_USER"
    }

    /// Indicates whether the store had this model and was migrated to another after that; false without a
    /// ledger.
    ///
    /// - Parameter isForward: Indicates that a migration to a version that the store had before does not count.
    /// - Throws: `PostgresError`.
    package static func hasLeft(
        _ model: ManagedObjectModel, forward isForward: Bool = false, in namespace: String,
        on connection: Connection
    ) throws -> Bool {
        guard try !columns(in: namespace, on: connection).isEmpty else { return false }
        var parameters = Parameters()
        let checksum = model.versionChecksum
        try parameters.append(checksum)
        try parameters.append(model.earlierChecksum ?? checksum)
        let table = table(in: namespace)
        let returns =
            "EXISTS (SELECT FROM \(table) AS e WHERE e.\"number\" < r.\"number\" AND e.\"from_checksum\" = r.\"to_checksum\")"
        return try connection.query(
            "SELECT 1 FROM \(table) AS r WHERE r.\"from_checksum\" IN ($1, $2) AND r.\"to_checksum\" NOT IN ($1, $2)"
                + (isForward ? " AND NOT \(returns)" : "") + " LIMIT 1",
            parameters, cached: false
        ).rowCount > 0
    }

    /// The entities and properties that migrations of the store have added by inference.
    package static func additions(in namespace: String, on connection: Connection) throws -> Set<String> {
        guard try !columns(in: namespace, on: connection).isEmpty else { return [] }
        let words = " added"
        return Set(
            try connection.query(
                "SELECT c.change FROM \(table(in: namespace)), "
                    + "pg_catalog.jsonb_array_elements_text(COALESCE(\"steps\" -> 'changes', '[]')) AS c(change) "
                    + "WHERE c.change LIKE '%\(words)'", cached: false
            ).map { String($0[0].string().dropLast(words.count)) })
    }

    /// Adds a row, and makes the table where it is missing; in the transaction that the row tells of.
    package static func add(
        from: String, to: String, label: String, steps: String, in namespace: String,
        on connection: Connection
    ) throws {
        _ = try connection.query(creation(in: namespace), cached: false)
        // Programs that restart ask whether the store has left their model.
        try StoreReaders(connection: connection, schemaName: namespace).grant(table(in: namespace))
        if try !hasHost(in: namespace, on: connection) {
            _ = try connection.query(widening(in: namespace), cached: false)
        }
        var row = Parameters()
        for text in [from, to, label, steps, ProcessInfo.processInfo.hostName] { try row.append(text) }
        _ = try connection.query(
            "INSERT INTO \(table(in: namespace)) (\"from_checksum\", \"to_checksum\", \"label\", \"steps\", \"host\") "
                + "VALUES ($1, $2, $3, CAST(CAST($4 AS pg_catalog.text) AS pg_catalog.jsonb), $5)", row,
            cached: false)
    }

    /// Whether there is a ledger that keeps hosts; false also where there is none.
    static func hasHost(in namespace: String, on connection: Connection) throws -> Bool {
        try columns(in: namespace, on: connection).contains("host")
    }

    /// Empty where there is no ledger.
    package static func columns(in namespace: String, on connection: Connection) throws -> [String] {
        var parameters = Parameters()
        try parameters.append(namespace)
        try parameters.append(name)
        return try connection.query(
            "SELECT a.attname::pg_catalog.text FROM pg_catalog.pg_attribute a "
                + "JOIN pg_catalog.pg_class c ON c.oid = a.attrelid "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped",
            parameters, cached: false
        ).map { $0[0].string() }
    }

    package static func table(in namespace: String) -> String { SQLIdentifier.quoted(namespace, name) }
}
