import HowdahModel
import PQClient

/// The columns that a query for an entity brings, and where each concrete entity finds its own among them.
///
/// Column 0 is the key, column 1 the version, column 2 `_entity` in hierarchies.
package final class SelectList: Sendable {
    private let entityName: String
    private let columns: [LayoutColumn]
    let discriminatorPosition: Int?
    /// For each entity of the family, the positions of its own columns; nil for other entities.
    private let positions: [[Int32]?]
    /// The query for the row whose key is `$1`, if it is of the entity.
    let rowByKey: String
    /// The query for the entity's rows whose keys are in the array `$1`.
    let rowsByKeys: String
    /// What objects hold that are made of these columns; nil for all.
    let part: PartialRow?
    /// What is read in place of a version where the table has none.
    private static let noVersion = LayoutColumn(quoted: "1::pg_catalog.int8", .int8)
    /// What is read in place of the columns that are not asked for.
    private static let nothing = LayoutColumn(quoted: "NULL::pg_catalog.int8", .int8)

    init(
        _ layout: EntityLayout, in all: [EntityLayout], identitiesOnly: Bool = false,
        only part: PartialRow? = nil
    ) {
        self.part = part
        var columns = [layout.table.key, layout.table.version ?? Self.noVersion]
        discriminatorPosition = layout.discriminator.map {
            columns.append(LayoutColumn(quoted: $0, .text))
            return columns.count - 1
        }
        var places: [String: Int32] = [:]
        var positions: [[Int32]?] = Array(repeating: nil, count: all.count)
        if part != nil {
            places[Self.nothing.name] = Int32(columns.count)
            columns.append(Self.nothing)
        }
        for member in layout.family where !identitiesOnly {
            let read = part?.columns(of: all[member])
            positions[member] = all[member].columns.enumerated().map { index, column in
                let column = read?.contains(index) ?? true ? column : Self.nothing
                if let place = places[column.name] { return place }
                let place = Int32(columns.count)
                places[column.name] = place
                columns.append(column)
                return place
            }
        }
        entityName = layout.name
        self.columns = columns
        self.positions = positions
        let list = Self.text(columns, alias: "t0")
        let key = layout.table.key("t0")
        let family = Self.familyCondition(layout)
        rowByKey = "SELECT \(list) FROM \(layout.table) t0 WHERE \(key) = $1\(family)"
        rowsByKeys = "SELECT \(list) FROM \(layout.table) t0 WHERE \(key) = ANY($1)\(family)"
    }

    /// What keeps out the rows that a hierarchy's table has of other entities; this list has no columns of theirs.
    private static func familyCondition(_ layout: EntityLayout) -> String {
        guard let discriminator = layout.discriminator, layout.index != layout.root else { return "" }
        let names = layout.concreteStoredNames
        if names.isEmpty { return " AND FALSE" }
        return " AND t0.\(discriminator) IN (\(names.map(SQLLiteral.string).joined(separator: ", ")))"
    }

    /// The columns of one alias, ready to stand behind SELECT.
    package func text(alias: String) -> String { Self.text(columns, alias: alias) }

    private static func text(_ columns: [LayoutColumn], alias: String) -> String {
        columns.map { $0 == noVersion || $0 == nothing ? $0.name : $0.selected(alias) }.joined(
            separator: ", ")
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
            throw FetchError(
                .schemaMismatch,
                "The query for \(entityName) returned other columns than the model has. Alter the table back, or "
                    + "migrate the store."
            )
        }
        try check(first: first) { types[$0] }
    }

    private func check(first: Int, _ typeOfColumn: (Int) -> OID) throws {
        for (index, column) in columns.enumerated() where typeOfColumn(first + index) != column.received {
            throw FetchError(
                .schemaMismatch,
                "The column \(column.name) in the table of \(entityName) no longer has the type "
                    + "\(column.type.sqlName) of the store's model. Alter the column back, or migrate the store."
            )
        }
    }

    func positions(of entity: Int) -> [Int32] { positions[entity] ?? [] }
}
