package import Foundation
internal import HowdahModel
package import PQClient

/// What a store says of itself.
package struct StoreRecord: Hashable, Sendable {
    package let identifier: UUID
    package let format: Int32
    package let checksum: String
    /// The model's JSON.
    package let model: String
    package let createdAt: Date

    /// Reads the record of the store in a schema; nil where there is no store.
    ///
    /// - Throws: `PostgresError`.
    package init?(in schemaName: String, on connection: Connection, locking: Bool = false) throws {
        var parameters = Parameters()
        try parameters.append(schemaName)
        try parameters.append(StoreSchema.metadataTable)
        let found = try connection.query(
            "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = $2", parameters, cached: false)
        guard found.rowCount > 0 else { return nil }
        let table = SQLIdentifier.quoted(schemaName, StoreSchema.metadataTable)
        let rows = try connection.query(
            "SELECT \"format_version\", \"checksum\", \"model\", \"store_uuid\", \"created_at\" FROM \(table)"
                + (locking ? " FOR UPDATE" : ""),
            cached: false)
        guard
            let record = rows.map({
                ($0[0].int32, $0[1].string(), $0[2].string(), $0[3].uuid, $0[4].date)
            }).first
        else { return nil }
        (format, checksum, model, identifier, createdAt) = record
    }
}
