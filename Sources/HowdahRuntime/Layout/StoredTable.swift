import HowdahModel
package import PQClient

/// The table of a hierarchy and the names of the columns that all of its rows have; it prints as its name in
/// SQL.
///
/// It is a class, because every plan of a save contains it and each copy would retain its strings.
package final class StoredTable: Sendable {
    /// The quoted and schema-qualified name.
    let name: String
    /// The table for observers of statements.
    package let subject: StatementTable
    /// The column of the keys.
    package let key: LayoutColumn
    /// The column of the versions; nil if there is none, and rows are read-only.
    package let version: LayoutColumn?
    /// The message for writes to a table without a version.
    let readOnlyReason: String
    /// The known facts of a table that another program created.
    let existing: StoreSchema.Table.Existing?

    init(_ mapping: EntityStorage, in schema: StoreSchema) {
        let table = schema.table(named: mapping.table)
        name = SQLIdentifier.quoted(schema.schemaName, mapping.table)
        subject = StatementTable(name)
        key = LayoutColumn(mapping.keyColumn, .int8, in: table)
        version = mapping.versionColumn.map { LayoutColumn($0, .int8, in: table) }
        existing = table?.existing
        readOnlyReason =
            "\(mapping.rootEntity) is read-only, because its table has no version column. Run ALTER TABLE \(name) "
            + "ADD COLUMN \(SQLIdentifier.quoted(StoreSchema.versionColumn)) bigint NOT NULL DEFAULT 1, and set "
            + "\(MappingKey.version) to \"\(StoreSchema.versionColumn)\" in the model. Let other programs that "
            + "write to the table increment that column."
    }

    /// Returns the key with an alias.
    package func key(_ alias: String) -> String { "\(alias).\(key.name)" }

    /// Returns the version's column for a statement that compares or increments it.
    ///
    /// - Throws: `SaveError.readOnly` if there is none.
    package func writtenVersion() throws -> String {
        guard let version else { throw SaveError(.readOnly, readOnlyReason) }
        return version.name
    }

    /// The text between the columns and the values of an INSERT if the server would generate keys itself.
    var overriding: String { existing?.isAlwaysIdentity == true ? " OVERRIDING SYSTEM VALUE" : "" }

    /// A Boolean value that indicates whether rows can be inserted, changed and deleted.
    var isWritable: Bool { version != nil && (existing == nil || existing?.keySequence != nil) }

    /// The rank in the order of inserts, and in the reverse order of deletes.
    var rank: Int { existing?.rank ?? 0 }
}

extension StoredTable: Hashable, Comparable, CustomStringConvertible {
    package var description: String { name }

    package static func == (a: StoredTable, b: StoredTable) -> Bool { a === b || a.name == b.name }

    package static func < (a: StoredTable, b: StoredTable) -> Bool { a.name < b.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
