import HowdahModel
import PQClient

/// The table of a hierarchy and the names of the columns that every row of it has; it prints as its name in SQL.
///
/// A class, because it goes with every plan of a save and its strings would be retained with each copy.
package final class StoredTable: Sendable {
    /// Quoted and schema-qualified.
    let name: String
    /// The column of the keys.
    package let key: LayoutColumn
    /// The column of the versions; nil where there is none, and rows can only be read.
    package let version: LayoutColumn?
    /// What a model with this table is told when it is to be written to and has no version.
    let readOnlyReason: String
    /// Where another program made the table, what is known of it.
    let existing: StoreSchema.Table.Existing?

    init(_ mapping: EntityStorage, in schema: StoreSchema) {
        let table = schema.table(named: mapping.table)
        name = SQLIdentifier.quoted(schema.schemaName, mapping.table)
        key = LayoutColumn(mapping.keyColumn, .int8, in: table)
        version = mapping.versionColumn.map { LayoutColumn($0, .int8, in: table) }
        existing = table?.existing
        readOnlyReason =
            "\(mapping.rootEntity) is read-only, because its table has no version column. Run ALTER TABLE \(name) "
            + "ADD COLUMN \(SQLIdentifier.quoted(StoreSchema.versionColumn)) bigint NOT NULL DEFAULT 1, and set "
            + "\(MappingKey.version) to \"\(StoreSchema.versionColumn)\" in the model. Let other programs that "
            + "write to the table increment that column."
    }

    /// The key behind an alias.
    package func key(_ alias: String) -> String { "\(alias).\(key.name)" }

    /// The version's column in a statement that compares or raises it.
    ///
    /// - Throws: `SaveError.readOnly` where there is none.
    package func writtenVersion() throws -> String {
        guard let version else { throw SaveError(.readOnly, readOnlyReason) }
        return version.name
    }

    /// What stands between the columns and the values of an INSERT, where the server would give keys itself.
    var overriding: String { existing?.isAlwaysIdentity == true ? " OVERRIDING SYSTEM VALUE" : "" }

    /// Whether rows can be inserted, changed and deleted.
    var isWritable: Bool { version != nil && (existing == nil || existing?.keySequence != nil) }

    /// In which order tables are inserted into, and in the reverse order deleted from.
    var rank: Int { existing?.rank ?? 0 }
}

extension StoredTable: Hashable, Comparable, CustomStringConvertible {
    package var description: String { name }

    package static func == (a: StoredTable, b: StoredTable) -> Bool { a === b || a.name == b.name }

    package static func < (a: StoredTable, b: StoredTable) -> Bool { a.name < b.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
