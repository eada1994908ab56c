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
    /// Columns are found by name: a store of an earlier version has fewer of them, and one of a later version may have
    /// others. Of a store that this version cannot use, the format alone is read.
    ///
    /// - Throws: ``StoreRecordError`` if the table is another program's.
    package init?(_ result: QueryResult, in schemaName: String) throws {
        let columns = result.columns
        func position(of name: String, _ type: OID) throws -> Int? {
            guard let position = columns.firstIndex(where: { $0.name == name }) else { return nil }
            guard columns[position].type == type else {
                throw StoreRecordError(foreign: "the column \(name) has another type", in: schemaName)
            }
            return position
        }
        guard let number = try position(of: "format_version", .int4) else {
            throw StoreRecordError(foreign: "the column format_version is missing", in: schemaName)
        }
        guard result.rowCount < 2 else {
            throw StoreRecordError(foreign: "the table has more than one row", in: schemaName)
        }
        let limits = try ["readable_from", "writable_from"].map { try position(of: $0, .int4) }
        let formats = result.map { row -> StoreFormat in
            func value(_ position: Int?) -> Int32? {
                position.flatMap { row[$0].isNull ? nil : row[$0].int32 }
            }
            return StoreFormat(
                recorded: value(number) ?? 0, readableFrom: value(limits[0]), writableFrom: value(limits[1]))
        }
        guard let format = formats.first else { return nil }
        guard format.refusal(in: schemaName, reading: true) == nil else {
            self.init(
                identifier: Self.unknown, format: format, checksum: "", model: "", createdAt: .distantPast)
            return
        }
        let records = try result.map { row -> StoreRecord in
            func cell(_ name: String, _ type: OID) throws -> Cell {
                guard let position = try position(of: name, type), !row[position].isNull else {
                    throw StoreRecordError(foreign: "the column \(name) is missing or empty", in: schemaName)
                }
                return row[position]
            }
            return StoreRecord(
                identifier: try cell("store_uuid", .uuid).uuid, format: format,
                checksum: try cell("checksum", .text).string(), model: try cell("model", .text).string(),
                createdAt: try cell("created_at", .timestamptz).date)
        }
        self = records[0]
    }

    /// The identity of a store whose record this version cannot read.
    private static let unknown = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

    /// Reads the record of the store in a schema; nil if there is no store.
    ///
    /// - Parameter use: The use that the caller will make of the store.
    /// - Throws: ``StoreRecordError`` if this version of the library must not use the store in this way, or if the table
    ///   is another program's; `PostgresError`.
    package init?(
        in schemaName: String, on connection: Connection, for use: StoreFormat.Use, locking: Bool = false
    ) throws {
        var parameters = Parameters()
        try parameters.append(schemaName)
        try parameters.append(StoreSchema.metadataTable)
        let found = try connection.query(
            "SELECT c.relkind::pg_catalog.text FROM pg_catalog.pg_class c "
                + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                + "WHERE n.nspname = $1 AND c.relname = $2", parameters, cached: false,
            about: StatementSubject(.select))
        guard let kind = found.map({ $0[0].string() }).first else { return nil }
        guard kind == "r" else {
            throw StoreRecordError(foreign: "it is not a table", in: schemaName)
        }
        try self.init(
            connection.query(
                StoreMetadata.selection(in: schemaName, locking: locking), cached: false,
                about: StatementSubject(.select)),
            in: schemaName)
        if use != .none, let refusal = format.refusal(in: schemaName, reading: use == .reading) {
            throw StoreRecordError(refusal)
        }
    }
}
