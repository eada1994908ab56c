import HowdahModel
import HowdahRuntime
import PQClient

/// A value of an attribute in the store, which is read in parts.
struct StoredValue: Sendable {
    let length: Int
    let version: Int64?
    /// The kind of image, if the value is one.
    let kind: BlobKind?
    /// Indicates whether the server has to read all of the value for a part of it.
    private let isReadWhole: Bool
    private let reader: BrowseReader
    private let key: Int64
    private let column: LayoutColumn
    private let table: StoredTable

    /// The least number of bytes of a part.
    static let part = 4 << 20
    /// The most parts of a value of which the server reads all for each part.
    static let wholeReads = 8

    /// Reads the facts about a value with one statement, for which the server does not read a long text or data.
    ///
    /// - Returns: nil if the object or its value does not exist.
    static func find(_ attribute: String, of key: Int64, _ entity: String, _ reader: BrowseReader)
        async throws
        -> StoredValue?
    {
        guard let layout = reader.container.store.layouts.layout(named: entity),
            let slot = layout.slotsByName[attribute], let place = layout.slots[slot].columns.first
        else { return nil }
        let (column, table) = (layout.columns[place], layout.table)
        let value = column.compared("t0")
        let isData = column.type == .bytea
        // The server's encoding is UTF-8, so that the length needs no conversion.
        let length = "pg_catalog.octet_length(\(isData ? value : "(\(value))::pg_catalog.text"))"
        let sql = """
            SELECT \(length), \(isData ? "pg_catalog.substr(\(value), 1, 16)" : "NULL::pg_catalog.bytea"), \
            \(isData ? "pg_catalog.pg_column_size(\(value)) < \(length)" : "true"), \
            \(table.version?.compared("t0") ?? "NULL::pg_catalog.int8") \
            FROM \(table) t0 WHERE \(table.key("t0")) = $1
            """
        var parameters = Parameters()
        parameters.append(key)
        let sent = parameters
        return try await reader.read { session -> StoredValue? in
            try session.connection.query(sql, sent, cached: false).map { row -> StoredValue? in
                if row[0].isNull { return nil }
                return StoredValue(
                    length: Int(row[0].int32), version: row[3].isNull ? nil : row[3].int64,
                    kind: row[1].isNull ? nil : BlobKind(Array(row[1].bytes)), isReadWhole: row[2].isTrue,
                    reader: reader, key: key, column: column, table: table)
            }.first ?? nil
        }.value
    }

    /// Returns a part of the value.
    ///
    /// - Throws: `BrowseError` if the object changed, or is gone.
    func bytes(_ range: Range<Int>) async throws -> [UInt8] {
        let value = column.compared("t0")
        let bytes =
            column.type == .bytea ? value : "pg_catalog.convert_to((\(value))::pg_catalog.text, 'UTF8')"
        let sql = """
            SELECT pg_catalog.substr(\(bytes), $2, $3), \
            \(table.version?.compared("t0") ?? "NULL::pg_catalog.int8") \
            FROM \(table) t0 WHERE \(table.key("t0")) = $1
            """
        var parameters = Parameters()
        parameters.append(key)
        parameters.append(.int4) { $0.int32(Int32(clamping: range.lowerBound + 1)) }
        parameters.append(.int4) { $0.int32(Int32(clamping: min(partLength, range.count))) }
        let (sent, version) = (parameters, version)
        let found = try await reader.read { session -> [UInt8]? in
            try session.connection.query(sql, sent, cached: false).map { row -> [UInt8]? in
                let now = row[1].isNull ? nil : row[1].int64
                return row[0].isNull || now != version ? nil : Array(row[0].bytes)
            }.first ?? nil
        }.value
        guard let found, !found.isEmpty else {
            throw BrowseError(503, "The object changed while its value was read. Read it again.")
        }
        return found
    }

    /// The bytes of each part. If the server has to read all of a text for each, the parts of a long one are longer.
    private var partLength: Int {
        isReadWhole ? max(Self.part, (length - 1) / Self.wholeReads + 1) : Self.part
    }

    /// A query of the value for another program.
    var query: String {
        "SELECT \(column.compared("t0")) FROM \(table) t0 WHERE \(table.key("t0")) = \(key)"
    }
}
