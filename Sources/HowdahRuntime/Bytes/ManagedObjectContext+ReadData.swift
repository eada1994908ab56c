public import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Returns a part of the value of a Binary Data attribute, without loading the object; one statement.
    ///
    /// ```swift
    /// let part = try context.dataPart(of: id, \.file, in: 0..<65_536)      // part.count: all bytes
    /// ```
    /// Only these bytes are sent. A range may reach beyond the end; an empty one returns the number of bytes
    /// and the version. Unsaved changes do not count. For all parts of a value, see
    /// ``PersistentContainer/dataParts(of:_:in:size:)``.
    ///
    /// - Returns: The part, or nil if the attribute has no value.
    /// - Throws: `FetchError` with `invalidRequest` for an attribute of another type, a negative range, and in
    ///   a child context. `objectNotFound` if the row does not exist, `foreignID`, or `database`.
    public func dataPart<Object: ManagedObject, Value: AttributeValue>(
        of id: ObjectID<Object>, _ attribute: KeyPath<Object, Value>, in range: Range<Int>
    ) throws -> DataPart? {
        try dataPart(of: id, BinaryAttribute.name(of: attribute), in: range)
    }

    /// Returns a part of the value of an attribute by name.
    func dataPart<Object: ManagedObject>(
        of id: ObjectID<Object>, _ name: String, in range: Range<Int>
    ) throws -> DataPart? {
        try throwFailure()
        try checkConnection()
        let attribute = try BinaryAttribute(name, of: id, in: self)
        guard range.lowerBound >= 0 else {
            throw FetchError(
                .invalidRequest,
                "The range of \(attribute.layout.name).\(name) begins before the first byte. Use 0 or more.")
        }
        // No value is longer than 2^30 bytes, and the server's numbers have 31 bits.
        let start = min(range.lowerBound, 1 << 30)
        var parameters = Parameters()
        parameters.append(attribute.key)
        parameters.append(.int4) { $0.int32(Int32(clamping: start + 1)) }
        parameters.append(.int4) { $0.int32(Int32(clamping: min(range.count, (1 << 30) - 1))) }
        let (table, column) = (attribute.layout.table, attribute.column.name)
        let version = table.version.map { ", \($0.name)" } ?? ""
        do {
            let result = try withConnection {
                try $0.query(
                    "SELECT pg_catalog.octet_length(\(column))::pg_catalog.int8, "
                        + "pg_catalog.substring(\(column), $2, $3)\(version)\(attribute.selectedEntity) FROM \(table) "
                        + "WHERE \(table.key.name) = $1", parameters,
                    about: StatementSubject(.select, table.subject))
            }
            // A row is valid only within the loop.
            let found = try result.map { row -> DataPart? in
                if !attribute.selectedEntity.isEmpty {
                    try attribute.check(row[version.isEmpty ? 2 : 3].string())
                }
                if row[0].isNull { return nil }
                let (count, bytes) = (Int(row[0].int64), row[1].data())
                let first = min(start, count)
                return DataPart(
                    bytes: bytes, range: first..<(first + bytes.count), count: count,
                    version: version.isEmpty
                        ? nil : ObjectVersion(row: try row.integer(2, "_version", of: attribute.layout)))
            }
            guard let part = found.first else { throw attribute.notFound }
            return part
        } catch {
            throw store.readError(error, of: attribute.layout)
        }
    }
}
