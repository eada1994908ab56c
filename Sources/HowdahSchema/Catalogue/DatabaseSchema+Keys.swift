extension DatabaseSchema.Table {
    /// The primary key; nil for a table without one.
    package var primaryKey: DatabaseSchema.Constraint? { constraints.first { $0.kind == "p" } }

    /// The one integer column that is the key.
    package var integerKey: String? {
        guard let key = primaryKey, key.columns.count == 1,
            let column = columns.first(where: { $0.name == key.columns[0] }),
            column.isInteger
        else { return nil }
        return column.name
    }

    /// The column that counts the changes of a row; a `version` of another program may mean anything.
    package var versionColumn: String? {
        columns.first {
            ["_version", "lock_version"].contains($0.name) && $0.isInteger && !$0.isNullable
                && !$0.isGenerated
                && integerKey != $0.name
        }?.name
    }

    /// Indicates whether the values of these columns, together, are there only once.
    package func isUnique(_ names: [String]) -> Bool {
        constraints.contains { ["p", "u"].contains($0.kind) && Set($0.columns) == Set(names) }
            || indexes.contains { index in
                index.isUnique && index.predicate == nil
                    && Set(index.elements.map(\.column)) == Set(names.map { $0 })
            }
    }
}

extension DatabaseSchema.Column {
    var isInteger: Bool { ["int2", "int4", "int8"].contains(type) }
}
