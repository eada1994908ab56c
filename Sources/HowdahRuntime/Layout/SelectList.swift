import HowdahModel
import PQClient

/// The columns of a query for an entity, and their positions for each concrete entity.
///
/// Column 0 is the key, column 1 the version, column 2 `_entity` in hierarchies.
package final class SelectList: Sendable {
    private let entityName: String
    private let columns: [LayoutColumn]
    /// The columns for the text after SELECT, of the alias that nearly all statements have.
    private let text: String
    private static let alias = "t0"
    /// The types of the columns in a result.
    private let received: [OID]
    let discriminatorPosition: Int?
    /// The number of columns.
    var count: Int { columns.count }
    /// For each entity of the family, its columns' positions; nil for other entities.
    private let positions: [[Int32]?]
    /// The query for the row whose key is `$1`, if it is of the entity.
    let rowByKey: String
    /// The query for the entity's rows whose keys are in the array `$1`.
    let rowsByKeys: String
    /// The part of the objects that these columns contain; nil for all.
    let part: PartialRow?
    /// The column to read if the table has no version.
    private static let noVersion = LayoutColumn(quoted: "1::pg_catalog.int8", .int8)
    /// The column to read for columns that are not requested.
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
        received = columns.map(\.received)
        self.positions = positions
        let list = Self.text(columns, alias: Self.alias)
        text = list
        let key = layout.table.key(Self.alias)
        let family = Self.familyCondition(layout)
        rowByKey = "SELECT \(list) FROM \(layout.table) t0 WHERE \(key) = $1\(family)"
        rowsByKeys = "SELECT \(list) FROM \(layout.table) t0 WHERE \(key) = ANY($1)\(family)"
    }

    /// Returns the condition that excludes rows of other entities in a hierarchy's table, whose columns this
    /// list lacks.
    private static func familyCondition(_ layout: EntityLayout) -> String {
        guard let discriminator = layout.discriminator, layout.index != layout.root else { return "" }
        let names = layout.concreteStoredNames
        if names.isEmpty { return " AND FALSE" }
        return " AND t0.\(discriminator) IN (\(names.map(SQLLiteral.string).joined(separator: ", ")))"
    }

    /// Returns the columns of one alias, for the text after SELECT.
    package func text(alias: String) -> String {
        alias == Self.alias ? text : Self.text(columns, alias: alias)
    }

    private static func text(_ columns: [LayoutColumn], alias: String) -> String {
        columns.map { $0 == noVersion || $0 == nothing ? $0.name : $0.selected(alias) }.joined(
            separator: ", ")
    }

    /// Checks that a result has the columns of this list, beginning at `first`, with the types of the model's
    /// attributes.
    ///
    /// - Throws: `FetchError.schemaMismatch` naming the column that another program altered.
    func check(_ result: QueryResult, first: Int) throws {
        try check(first: first, result.type(ofColumn:))
    }

    /// Checks types without a result, as ``check(_:first:)`` does.
    func check(_ types: [OID], first: Int) throws {
        guard types.count == first + columns.count else {
            throw FetchError(
                .schemaMismatch,
                "Another program altered the table of \(entityName), whose columns now differ from the "
                    + "model. Alter the table back, or migrate the store."
            )
        }
        try check(first: first) { types[$0] }
    }

    private func check(first: Int, _ typeOfColumn: (Int) -> OID) throws {
        for (index, type) in received.enumerated() where typeOfColumn(first + index) != type {
            let column = columns[index]
            throw FetchError(
                .schemaMismatch,
                "The column \(column.name) in the table of \(entityName) no longer has the type "
                    + "\(column.type.sqlName) of the store's model. Alter the column back, or migrate the store."
            )
        }
    }

    func positions(of entity: Int) -> [Int32] { positions[entity] ?? [] }
}
