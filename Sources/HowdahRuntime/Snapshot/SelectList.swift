import HowdahModel
import PQClient

/// The columns that a query for an entity brings, and where each concrete entity finds its own among them.
///
/// Column 0 is `_id`, column 1 `_version`, column 2 `_entity` in hierarchies.
final class SelectList: Sendable {
    /// The quoted columns.
    let columns: [String]
    private let columnTypes: [StoreSchema.ColumnType]
    let discriminatorPosition: Int?
    /// For each entity of the family, the positions of its own columns; nil for other entities.
    private let positions: [[Int32]?]
    /// The query for the row whose key is `$1`.
    let rowByKey: String
    /// The query for the rows whose keys are in the array `$1`.
    let rowsByKeys: String

    init(_ layout: EntityLayout, in all: [EntityLayout], identitiesOnly: Bool = false) {
        var columns = ["_id", "_version"].map(SQLIdentifier.quoted)
        var types: [StoreSchema.ColumnType] = [.int8, .int8]
        discriminatorPosition = layout.discriminator.map {
            columns.append($0)
            types.append(.text)
            return columns.count - 1
        }
        var places: [String: Int32] = [:]
        var positions: [[Int32]?] = Array(repeating: nil, count: all.count)
        for member in layout.family where !identitiesOnly {
            positions[member] = all[member].columns.map { column in
                if let place = places[column.name] { return place }
                let place = Int32(columns.count)
                places[column.name] = place
                columns.append(column.name)
                types.append(column.type)
                return place
            }
        }
        self.columns = columns
        columnTypes = types
        self.positions = positions
        let list = Self.text(columns, types, alias: "t0")
        rowByKey = "SELECT \(list) FROM \(layout.table) t0 WHERE t0.\"_id\" = $1"
        rowsByKeys = "SELECT \(list) FROM \(layout.table) t0 WHERE t0.\"_id\" = ANY($1)"
    }

    /// The columns of one alias, ready to stand behind SELECT.
    ///
    /// JSON comes as the bytes of its text, which is what a Transformable attribute holds.
    func text(alias: String) -> String { Self.text(columns, columnTypes, alias: alias) }

    private static func text(
        _ columns: [String], _ types: [StoreSchema.ColumnType], alias: String
    ) -> String {
        zip(columns, types).map { column, type in
            type == .jsonb
                ? "pg_catalog.convert_to(\(alias).\(column)::text, 'UTF8')" : "\(alias).\(column)"
        }.joined(separator: ", ")
    }

    /// Checks that a result has the columns this list asks for, beginning at `first`, in the types that the
    /// model's attributes are decoded from.
    ///
    /// - Throws: `FetchError.schemaMismatch` naming the column that somebody altered.
    func check(_ result: QueryResult, first: Int) throws {
        try check(first: first, result.type(ofColumn:))
    }

    /// As ``check(_:first:)``, for types that came without a result.
    func check(_ types: [OID], first: Int) throws {
        guard types.count == first + columns.count else {
            throw FetchError(.schemaMismatch, "The query brings other columns than the model has.")
        }
        try check(first: first) { types[$0] }
    }

    private func check(first: Int, _ typeOfColumn: (Int) -> OID) throws {
        for (index, type) in columnTypes.enumerated() {
            let expected = type == .jsonb ? OID.bytea : type.oid
            guard typeOfColumn(first + index) != expected else { continue }
            throw FetchError(
                .schemaMismatch,
                "The column \(columns[index]) is no longer of type \(type.sqlName), as the store's model has it; "
                    + "alter it back, or migrate the store.")
        }
    }

    func positions(of entity: Int) -> [Int32] { positions[entity] ?? [] }
}
