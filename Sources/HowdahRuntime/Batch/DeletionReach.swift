import HowdahModel
import PQClient

/// The tables whose rows a DELETE of an entity's rows deletes too: by one foreign key, or indirectly.
struct DeletionReach {
    private let schema: StoreSchema
    private let table: String
    /// The columns that refer to the deleted rows and cascade, by table.
    private var columns: [String: [String]] = [:]
    /// The tables that triggers, or foreign keys of further tables, reach.
    private let deep: Set<String>

    /// - Returns: The reach; nil if the DELETE may delete unnamed rows of the entity's own table.
    init?(_ layout: EntityLayout, in layouts: StoreLayout) {
        schema = layouts.schema
        guard let table = schema.entities[layout.name]?.table else { return nil }
        self.table = table
        for other in schema.tables {
            let own = other.foreignKeys.filter { $0.onDelete == .cascade && $0.referencedTable == table }
            if !own.isEmpty { columns[other.name] = own.map { SQLIdentifier.quoted($0.columns[0]) } }
        }
        let children = Set(columns.keys)
        let further = schema.tables.filter { other in
            other.foreignKeys.contains { $0.onDelete == .cascade && children.contains($0.referencedTable) }
        }
        deep = layouts.tables(
            gone: Set(further.map(\.name)).union(layouts.tables(followedFrom: children.union([table]))))
        if columns[table] != nil || deep.contains(table) { return nil }
    }

    /// Returns the columns by which the rows of a group depend on the deleted ones. Nil elements mean the
    /// rows themselves.
    ///
    /// - Returns: The columns; nil if there is more than one relationship between them.
    func columns(to group: DerivedGroup) -> [String?]? {
        let tables = group.places.map { schema.entities[$0.name]?.table }
        guard tables.allSatisfy({ table in table.map { !deep.contains($0) } ?? false }),
            tables.dropFirst(2).allSatisfy({ $0 != table && columns[$0 ?? ""] == nil }),
            let first = tables.first ?? nil, columns[first] == nil, tables.count > 1, let next = tables[1]
        else { return nil }
        return (next == table ? [nil] : []) + (columns[next] ?? [])
    }
}
