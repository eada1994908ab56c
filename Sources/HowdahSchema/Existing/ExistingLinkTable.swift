internal import HowdahModel
internal import PQClient

/// Compares a table of links with the one that exists.
struct ExistingLinkTable {
    /// The table as it is found.
    private(set) var table: StoreSchema.Table
    private(set) var differences: [String] = []
    private let found: DatabaseSchema.Table
    private let schema: StoreSchema
    private let name: String

    init(_ table: StoreSchema.Table, _ found: DatabaseSchema.Table, _ schema: StoreSchema) {
        self.table = table
        self.found = found
        self.schema = schema
        name = SQLIdentifier.quoted(schema.schemaName, table.name)
    }

    mutating func run() {
        for place in table.columns.indices { compareColumn(place) }
        if !found.isUnique(table.primaryKey) {
            let names = table.primaryKey.map(SQLIdentifier.quoted).joined(separator: ", ")
            report(
                nil,
                "the table can have several rows for the same two objects. Run ALTER TABLE \(name) ADD UNIQUE (\(names))."
            )
        }
        for column in found.demanding(besides: Set(table.columns.map(\.name))) {
            report(
                column,
                "the column is NOT NULL without a default, but saves write only the two keys of a many-to-many table. Run ALTER TABLE \(name) ALTER COLUMN "
                    + "\(SQLIdentifier.quoted(column)) SET DEFAULT …, or use a separate entity for the table."
            )
        }
        for (column, destination) in ends { compareReference(column, destination) }
    }

    private mutating func report(_ column: String?, _ text: String) {
        differences.append("\([table.name, column].compactMap { $0 }.joined(separator: ".")): \(text)")
    }

    private mutating func compareColumn(_ place: Int) {
        let column = table.columns[place]
        guard let there = found.column(column.name) else {
            return report(
                column.name,
                "this column does not exist in the many-to-many table. Name the right column with \(MappingKey.column) on the "
                    + "relationship to the objects that it references.")
        }
        guard let existing = ExistingColumn(there, as: column.type) else {
            return report(
                column.name,
                "the type is \(there.spelling), but keys in a many-to-many table need \(column.type.spelling). Change the type of the column."
            )
        }
        table.columns[place].type = existing.type
        table.columns[place].form = existing.form
        if there.isNullable {
            report(
                column.name,
                "NULL is allowed. Run ALTER TABLE \(name) ALTER COLUMN \(SQLIdentifier.quoted(column.name)) SET NOT NULL."
            )
        }
    }

    /// The columns with keys and where they lead.
    private var ends: [(column: String, destination: EntityStorage)] {
        var ends: [String: EntityStorage] = [:]
        for entity in schema.entities.values {
            for case .join(let join) in entity.properties where join.joinTable == table.name {
                ends[join.otherColumn] = schema.entities[join.description.destination]
                if ends[join.ownColumn] == nil { ends[join.ownColumn] = entity }
            }
        }
        return ends.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Links go with the rows that they lead to only where the foreign key takes them along.
    private mutating func compareReference(_ column: String, _ destination: EntityStorage) {
        let expected = table.foreignKeys.first { $0.columns[0] == column }
        let keys = found.constraints.filter { $0.kind == "f" && $0.columns.contains(column) }
        for key in keys
        where key.referencedTable != destination.table
            || key.referencedColumns?.first != destination.keyColumn
        {
            report(
                column,
                "\(key.name) references \(key.referencedTable ?? "")(\((key.referencedColumns ?? []).joined(separator: ", "))). Make the foreign key reference "
                    + "the key of \(destination.rootEntity), \(destination.table)(\(destination.keyColumn))."
            )
        }
        guard destination.versionColumn != nil, let expected else { return }
        let cascades = keys.contains { $0.deleteAction == "c" }
        let relationship = relationship(at: column, of: destination)
        if (expected.onDelete == .cascade) != cascades {
            report(
                column,
                cascades
                    ? "the foreign key has ON DELETE CASCADE, but \(relationship) has the delete rule deny. Change the delete "
                        + "rule, or remove ON DELETE CASCADE."
                    : "no foreign key with ON DELETE CASCADE deletes the rows that refer to a deleted object. Create such a "
                        + "foreign key, or set the delete rule of \(relationship) to deny.")
        }
    }

    /// The relationship that has its own key in the column.
    private func relationship(at column: String, of destination: EntityStorage) -> String {
        let others = schema.entities.values.sorted { $0.entityName < $1.entityName }
        for entity in [destination] + others {
            for case .join(let join) in entity.properties
            where join.joinTable == table.name && join.ownColumn == column {
                return "\(entity.entityName).\(join.description.name)"
            }
        }
        return "the relationship of \(destination.rootEntity)"
    }
}
