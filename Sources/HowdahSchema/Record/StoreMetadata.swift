package import HowdahModel
internal import PQClient

/// The statements around the metadata table, whose one row says what the store is.
package enum StoreMetadata {
    /// The number of the newest layout that this version of the library understands: that of a store with history.
    package static let formatVersion: Int32 = 2

    /// The number of the layout of a store without history, as it is created.
    package static let formatWithoutHistory: Int32 = 1

    /// The oldest format of a library version that can read the stores that this version makes, with history or without.
    package static let readableFrom: Int32 = 1

    /// The oldest format of a library version that can write the stores without history that this version makes.
    package static let writableFrom: Int32 = 1

    /// The oldest format of a library version that can write a store with history, since earlier ones write no history.
    package static let writableFromWithHistory: Int32 = 2

    /// The number in stores over tables that another program made, which an earlier version of the library refuses.
    package static let formatOverExistingTables: Int32 = 101

    /// Creates the table; a second row is refused by its primary key.
    package static func creation(of schema: StoreSchema) -> String {
        let name = { SQLIdentifier.quoted(schema.metadataTable + $0) }
        return """
            CREATE TABLE \(table(of: schema)) (
                "singleton" boolean NOT NULL DEFAULT TRUE,
                "store_uuid" pg_catalog.uuid NOT NULL,
                "format_version" integer NOT NULL,
                "model" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
                "checksum" pg_catalog.text COLLATE pg_catalog."C" NOT NULL,
                "created_at" timestamp with time zone NOT NULL DEFAULT pg_catalog.now(),
                "readable_from" integer,
                "writable_from" integer,
                CONSTRAINT \(name("_pkey")) PRIMARY KEY ("singleton"),
                CONSTRAINT \(name("_singleton_check")) CHECK ("singleton")
            )
            """
    }

    /// Inserts the row; parameters: store UUID, format version (`integer`), canonical JSON, checksum.
    package static func insertion(for schema: StoreSchema) -> String {
        "INSERT INTO \(table(of: schema)) (\"store_uuid\", \"format_version\", \"model\", \"checksum\", "
            + "\"readable_from\", \"writable_from\") VALUES ($1, $2, $3, $4, \(readableFrom), \(writableFrom))"
    }

    /// Records that the store has history, or that it has none.
    static func historyUpdate(in schemaName: String, to hasHistory: Bool) -> String {
        let format = hasHistory ? formatVersion : formatWithoutHistory
        let offset = formatOverExistingTables - formatWithoutHistory
        return
            "UPDATE \(SQLIdentifier.quoted(schemaName, StoreSchema.metadataTable)) SET \"format_version\" = \(format) + "
            + "CASE WHEN \"format_version\" > \(offset) THEN \(offset) ELSE 0 END, \"readable_from\" = \(readableFrom), "
            + "\"writable_from\" = \(hasHistory ? writableFromWithHistory : writableFrom)"
    }

    /// Puts another model into the row; parameters: canonical JSON, checksum.
    package static func replacement(for schema: StoreSchema) -> String {
        "UPDATE \(table(of: schema)) SET \"model\" = $1, \"checksum\" = $2"
    }

    /// Reads the row with all its columns, which differ between formats; see ``StoreRecord/init(_:)``.
    package static func selection(in schemaName: String, locking: Bool = false) -> String {
        "SELECT * FROM \(SQLIdentifier.quoted(schemaName, StoreSchema.metadataTable))"
            + (locking ? " FOR UPDATE" : "")
    }

    /// Adds the columns that say which library versions may use the store, if an earlier version made the table.
    package static func widening(of schema: StoreSchema) -> String { widening(in: schema.schemaName) }

    static func widening(in schemaName: String) -> String {
        "ALTER TABLE \(SQLIdentifier.quoted(schemaName, StoreSchema.metadataTable)) ADD COLUMN IF NOT EXISTS \"readable_from\" integer, "
            + "ADD COLUMN IF NOT EXISTS \"writable_from\" integer"
    }

    private static func table(of schema: StoreSchema) -> String {
        SQLIdentifier.quoted(schema.schemaName, schema.metadataTable)
    }
}
