package import Foundation
internal import HowdahModel
package import PQClient

/// The row that a store keeps about itself.
package struct StoreRecord: Hashable, Sendable {
    /// The store's identity.
    package let identifier: UUID
    /// The layout, and the library versions that may use it.
    package let format: StoreFormat
    /// The checksum of the model.
    package let checksum: String
    /// The model's JSON.
    package let model: String
    /// The time at which the store was made.
    package let createdAt: Date

    /// Describes a store that is being made.
    package init(identifier: UUID, format: StoreFormat, checksum: String, model: String, createdAt: Date) {
        self.identifier = identifier
        self.format = format
        self.checksum = checksum
        self.model = model
        self.createdAt = createdAt
    }

    /// Reads the answer to ``StoreMetadata/selection(in:locking:)``; nil if it has no row.
    ///
    /// Columns are found by name: a store of an earlier version has fewer of them, and one of a later version may have more.
    ///
    /// - Throws: `PostgresError` with `invalidValue` if the table is another program's.
    package init?(_ result: QueryResult) throws {
        let columns = result.columns
        let records = try result.map { row -> StoreRecord in
            func cell(_ name: String, _ type: OID) throws -> Cell? {
                guard let position = columns.firstIndex(where: { $0.name == name }) else { return nil }
                guard columns[position].type == type else {
                    throw Self.foreign("its column \(name) has another type")
                }
                return row[position].isNull ? nil : row[position]
            }
            guard let identifier = try cell("store_uuid", .uuid)?.uuid,
                let number = try cell("format_version", .int4)?.int32,
                let checksum = try cell("checksum", .text)?.string(),
                let model = try cell("model", .text)?.string(),
                let createdAt = try cell("created_at", .timestamptz)?.date
            else { throw Self.foreign("a column is missing or empty") }
            return StoreRecord(
                identifier: identifier,
                format: StoreFormat(
                    recorded: number, readableFrom: try cell("readable_from", .int4)?.int32,
                    writableFrom: try cell("writable_from", .int4)?.int32),
                checksum: checksum, model: model, createdAt: createdAt)
        }
        guard let record = records.first else { return nil }
        self = record
    }

    private static func foreign(_ fault: String) -> PostgresError {
        PostgresError(
            .invalidValue,
            "The table \(StoreSchema.metadataTable) is not the record of a store: \(fault). Restore the table from a "
                + "backup, or choose another schema.", phase: .decode)
    }

    /// Reads the record of the store in a schema; nil if there is no store.
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
        try self.init(
            connection.query(StoreMetadata.selection(in: schemaName, locking: locking), cached: false))
    }
}
