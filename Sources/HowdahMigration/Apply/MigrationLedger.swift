internal import HowdahModel
internal import PQClient

/// The table in which a store keeps what was done to it, a row for each stage; made with the first.
package enum MigrationLedger {
    package static let name = "_howdah_migration"

    static func creation(in namespace: String) -> String {
        """
        CREATE TABLE IF NOT EXISTS \(table(in: namespace)) (
            "number" bigint GENERATED ALWAYS AS IDENTITY,
            "from_checksum" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
            "to_checksum" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
            "label" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
            "steps" pg_catalog.jsonb NOT NULL,
            "began_at" timestamp with time zone NOT NULL DEFAULT pg_catalog.now(),
            "ended_at" timestamp with time zone NOT NULL DEFAULT pg_catalog.clock_timestamp(),
            CONSTRAINT "_howdah_migration_pkey" PRIMARY KEY ("number")
        )
        """
    }

    /// Parameters: both checksums, the label, the plan as JSON.
    static func insertion(in namespace: String) -> String {
        "INSERT INTO \(table(in: namespace)) (\"from_checksum\", \"to_checksum\", \"label\", \"steps\") "
            + "VALUES ($1, $2, $3, CAST(CAST($4 AS pg_catalog.text) AS pg_catalog.jsonb))"
    }

    /// Finds whether the store ever had a model and left it; the parameter is the checksum.
    package static func departure(in namespace: String) -> String {
        "SELECT 1 FROM \(table(in: namespace)) WHERE \"from_checksum\" = $1 LIMIT 1"
    }

    private static func table(in namespace: String) -> String { SQLIdentifier.quoted(namespace, name) }
}
