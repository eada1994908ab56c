import HowdahMigration
import HowdahModel
import HowdahRuntime
import PQClient

/// The parts of a mapping by SQL that need no table of pairs.
///
/// If every object of a source entity keeps its id, the ids are the pairs. References to such objects are set
/// when rows are created, so a table is written only once.
struct DirectLinks {
    private let layouts: MappingLayouts
    /// The entity mappings whose pairs must be in the table. Statements need these pairs, and ids do not
    /// determine them.
    private(set) var recorded: Set<Int> = []

    /// Creates the parts; nil if an entity mapping must look up the ids that others have taken.
    init?(_ layouts: MappingLayouts) {
        guard !layouts.entries.contains(where: \.followsOthers) else { return nil }
        self.layouts = layouts
        for entry in layouts.entries {
            for property in entry.mapping.relationshipMappings where reference(property, of: entry) == nil {
                guard let members = members(property, entry)?.makers else { continue }
                for asked in [entry] + members where !keepsAll(asked) { recorded.insert(asked.index) }
            }
        }
    }

    private func members(_ property: PropertyMapping, _ entry: MappingLayouts.Entry) -> LinkStatements
        .Members?
    {
        property.valueExpression.flatMap { LinkStatements(property, entry, layouts)?.members($0) }
    }

    /// Returns the sources and destinations of some entity mappings, as a FROM item.
    func pairs(_ entries: [MappingLayouts.Entry]) -> String {
        let selects = entries.map { entry in
            guard keepsAll(entry), let from = entry.source else { return layouts.pairs.item([entry]) }
            let rows =
                from.discriminator.map { " WHERE s.\($0) = \(SQLLiteral.string(from.storedName))" } ?? ""
            return "(SELECT \(from.table.key("s")) AS \(MappedPairs.source), "
                + "\(from.table.key("s")) AS \(MappedPairs.destination) FROM \(from.table) AS s\(rows))"
        }
        return selects.count == 1 ? selects[0] : "(\(selects.joined(separator: " UNION ALL ")))"
    }

    /// Returns true if every object of the source entity keeps its id.
    private func keepsAll(_ entry: MappingLayouts.Entry) -> Bool {
        entry.keepsIDs && entry.mapping.sourceFilter == nil
    }

    /// Returns the column of a relationship that is set with the attributes, and its value in a source row.
    ///
    /// If it needs a separate statement, the result is nil.
    func reference(_ property: PropertyMapping, of entry: MappingLayouts.Entry) -> (
        column: String, value: (_ alias: String) -> String
    )? {
        guard let members = members(property, entry), members.makers.count == 1, keepsAll(members.makers[0]),
            case .foreignKey(let columns) = members.relationship.storage, columns.entityColumn == nil,
            let value = value(members, of: entry), !isSetFromTheOtherEnd(columns)
        else { return nil }
        return (columns.column, value)
    }

    private func value(_ members: LinkStatements.Members, of entry: MappingLayouts.Entry) -> (
        (_ alias: String) -> String
    )? {
        guard let from = entry.source, let made = members.makers[0].source else { return nil }
        if members.keys.isEmpty, made.index == from.index { return { from.table.key($0) } }
        guard members.keys.count == 1, let slot = from.slotsByName[members.keys[0]],
            let link = from.slots[slot].relationship, case .foreignKey(let columns) = link.storage,
            made.index == link.destination, made.family == [made.index], isHeld(columns)
        else { return nil }
        return { "\($0).\(columns.column)" }
    }

    /// Returns true if a foreign key ensures that the column's destinations exist.
    private func isHeld(_ columns: ForeignKeyColumns) -> Bool {
        let schema = layouts.source.schema
        return schema.tables.contains { table in
            "\(columns.table)" == SQLIdentifier.quoted(schema.schemaName, table.name)
                && table.foreignKeys.contains { $0.columns.map(SQLIdentifier.quoted) == [columns.column] }
        }
    }

    /// Returns true if the column is set later from the other end.
    ///
    /// Later values count, so the order of the statements must stay.
    private func isSetFromTheOtherEnd(_ columns: ForeignKeyColumns) -> Bool {
        layouts.entries.contains { other in
            other.mapping.relationshipMappings.contains { property in
                guard property.valueExpression != nil,
                    case .inverse(let same)? = LinkStatements(property, other, layouts)?.relationship.storage
                else { return false }
                return same.table == columns.table && same.column == columns.column
            }
        }
    }
}
