package import HowdahModel
internal import PQClient

/// The tables of another program beside those that a model asks for: every difference that stands in the way, and the
/// schema as it is found.
///
/// A pure function of the two; nothing is guessed, and nothing is altered.
package struct ExistingTables: Sendable {
    /// What has to be mended in the model or in the database, with the remedy; empty where the store can be opened.
    package let differences: [String]
    /// The tables that differ, with their first difference.
    package let differingTables: [String: String]
    /// The model's schema with the types, names of constraints and sequences that the database has.
    package let schema: StoreSchema

    /// Compares the tables of `schema` with those of `database`.
    package init(_ schema: StoreSchema, in database: DatabaseSchema) {
        var differences: [String] = []
        var differing: [String: String] = [:]
        func note(_ found: [String], of table: String) {
            differences += found
            if let first = found.first { differing[table] = first }
        }
        let roots = Dictionary(
            schema.entities.values.filter { $0.entityName == $0.rootEntity }.map { ($0.table, $0) },
            uniquingKeysWith: { first, _ in first })
        let known = Dictionary(
            database.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        // A schema can have thousands of tables.
        let members = Dictionary(grouping: schema.entities.values, by: \.rootEntity)
        var tables: [StoreSchema.Table] = []
        for table in schema.tables {
            guard let found = known[table.name] else {
                note([Self.missing(table, roots[table.name], database)], of: table.name)
                continue
            }
            if let root = roots[table.name] {
                var comparison = ExistingEntityTable(
                    table, root, members[root.rootEntity] ?? [], found, schema)
                comparison.run()
                tables.append(comparison.table)
                note(comparison.differences, of: table.name)
            } else {
                var comparison = ExistingLinkTable(table, found, schema)
                comparison.run()
                tables.append(comparison.table)
                note(comparison.differences, of: table.name)
            }
        }
        self.differences = differences
        differingTables = differing
        self.schema = schema.replacing(Self.ranked(tables))
    }

    private static func missing(
        _ table: StoreSchema.Table, _ root: EntityStorage?, _ database: DatabaseSchema
    ) -> String {
        if database.others.contains(table.name) {
            return "\(table.name): this is a view or a foreign table. Name a table with \(MappingKey.table)."
        }
        let whose = root.map { "the entity \($0.rootEntity)" } ?? "a many-to-many relationship"
        return "\(table.name): this table for \(whose) does not exist, or the role cannot see it. "
            + "Name the right table with \(MappingKey.table)."
    }

    /// Gives each table a rank above those that it refers to, so that rows can be inserted in that order.
    private static func ranked(_ tables: [StoreSchema.Table]) -> [StoreSchema.Table] {
        var ranks: [String: Int] = [:]
        let known = Dictionary(tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        func rank(_ name: String) -> Int {
            if let rank = ranks[name] { return rank }
            // Whoever comes round to it in a cycle goes before.
            ranks[name] = 0
            let others = Set(known[name]?.foreignKeys.map(\.referencedTable) ?? []).subtracting([name])
            let rank = others.sorted().map(rank).max().map { $0 + 1 } ?? 0
            ranks[name] = rank
            return rank
        }
        return tables.map { table in
            var table = table
            table.existing?.rank = rank(table.name)
            return table
        }
    }
}

extension DatabaseSchema.Table {
    func column(_ name: String) -> DatabaseSchema.Column? { columns.first { $0.name == name } }

    /// The columns that must be given a value by whoever inserts a row.
    func demanding(besides mapped: Set<String>) -> [String] {
        columns.filter {
            !$0.isNullable && $0.expression == nil && !$0.isIdentity && !$0.isGenerated
                && !mapped.contains($0.name)
        }.map(\.name)
    }
}

extension DatabaseSchema.Column {
    /// The sequence that every value is drawn from which is not given; nil where the default is anything else.
    var drawnSequence: String? {
        guard let sequence else { return nil }
        let isPlain =
            expression.map {
                $0.hasPrefix("nextval('") && $0.hasSuffix("'::regclass)") && !$0.dropLast().contains(")")
            }
            ?? false
        return isIdentity || isPlain ? SQLIdentifier.quoted(sequence.schema, sequence.name) : nil
    }
}
