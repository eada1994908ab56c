package import HowdahModel
internal import PQClient

/// The table in which each save leaves a token, so that it can be found out what became of a lost COMMIT.
package enum SaveTokenTable {
    /// Creates the table.
    ///
    /// A row whose `is_stored` is false was made by whoever asked for the outcome: it bars a transaction that has not
    /// committed by then from ever doing so.
    package static func creation(of schema: StoreSchema) -> String {
        """
        CREATE TABLE \(table(of: schema)) (
            "token" pg_catalog.uuid NOT NULL,
            "is_stored" boolean NOT NULL DEFAULT TRUE,
            "saved_at" timestamp with time zone NOT NULL DEFAULT pg_catalog.now(),
            CONSTRAINT \(SQLIdentifier.quoted(schema.saveTable + "_pkey")) PRIMARY KEY ("token")
        )
        """
    }

    /// The table's name, quoted and with its schema.
    package static func table(of schema: StoreSchema) -> String {
        SQLIdentifier.quoted(schema.schemaName, schema.saveTable)
    }
}
