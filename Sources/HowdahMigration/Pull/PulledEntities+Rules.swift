internal import HowdahModel
internal import HowdahSchema

/// Uniqueness, indexes, and what of them has no counterpart in a model.
extension PulledEntities {
    mutating func addRules(of table: DatabaseSchema.Table) {
        let names = properties[table.name] ?? [:]
        for constraint in table.constraints {
            switch constraint.kind {
            case "u", "p":
                let members = constraint.columns.compactMap { names[$0] }
                guard members.count == constraint.columns.count else { continue }
                let isOneToOne =
                    constraint.columns.count == 1
                    && foreignKeys(of: table).contains { $0.columns == constraint.columns }
                if !isOneToOne { built[table.name]?.uniquenessConstraints.append(members) }
                if constraint.isDeferrable {
                    note(
                        "The constraint \(constraint.name) is deferrable, but a save expects a check with each statement. Create the "
                            + "constraint again without DEFERRABLE.",
                        table)
                }
                if constraint.isNullEqual { noteEqualNulls(of: constraint.name, table) }
            case "c":
                note(
                    "The constraint \(constraint.name) is left out of the model, but the server still enforces it: "
                        + "\(constraint.definition). Add validation rules to the model to find violations before a save.",
                    table)
            case "x":
                note(
                    "The exclusion constraint \(constraint.name) is left out of the model, but the server still enforces it. "
                        + "Handle the error of a save that violates the constraint.",
                    table)
            case "f" where !foreignKeys(of: table).contains(constraint):
                note(
                    "The foreign key \(constraint.name) does not become a relationship: \(constraint.definition). A relationship needs "
                        + "one column that references the integer key of a table in the model. Fetch the referenced objects "
                        + "with a predicate on the attributes of the foreign key's columns.", table)
            default: continue
            }
        }
        for index in table.indexes { add(index, of: table, names) }
        noteActors(of: table)
    }

    private mutating func noteEqualNulls(of name: String, _ table: DatabaseSchema.Table) {
        note(
            "\(name) allows NULL only once (NULLS NOT DISTINCT), but in a model several objects can be without a value. "
                + "A save of the second such object fails. Give each object a value, or create \(name) again without "
                + "NULLS NOT DISTINCT.", table)
    }

    /// What changes or hides rows behind the back of those who save and fetch.
    private mutating func noteActors(of table: DatabaseSchema.Table) {
        if table.hasRowSecurity {
            note(
                "Row security hides rows of the table from some roles. To a program, a hidden row does not exist. Check "
                    + "the policies for the role of your program.",
                table)
        }
        if !table.triggers.isEmpty {
            note(
                "The model does not include the table's triggers: \(table.triggers.joined(separator: ", ")). Fetch a row again "
                    + "after a save to see their changes.", table)
        }
        if !table.rules.isEmpty {
            note(
                "The table has rules: \(table.rules.joined(separator: ", ")). Rules that replace statements make saves fail or lose "
                    + "changes. Use triggers instead.", table)
        }
    }

    private mutating func add(
        _ index: DatabaseSchema.Index, of table: DatabaseSchema.Table, _ names: [String: String]
    ) {
        let members = index.elements.compactMap { element in element.column.flatMap { names[$0] } }
        guard members.count == index.elements.count, index.predicate == nil else {
            return note(
                "The index \(index.name) is left out of the model, because "
                    + (index.predicate != nil
                        ? "it is partial."
                        : index.elements.contains { $0.column == nil }
                            ? "it has an expression."
                            : "one of its columns is not an attribute of the model.")
                    + " If you create a store from the model, create the index there in SQL.",
                table)
        }
        noteDetails(of: index, table)
        if index.isUnique {
            built[table.name]?.uniquenessConstraints.append(members)
        } else if !(index.elements.count == 1
            && foreignKeys(of: table).contains { $0.columns == [index.elements[0].column ?? ""] })
        {
            let methods: [String: FetchIndexDescription.Method] = [
                "gin": .gin, "gist": .gist, "brin": .brin, "hash": .hash,
            ]
            let elements = zip(members, index.elements).map {
                FetchIndexElement($0, ascending: !$1.isDescending)
            }
            built[table.name]?.fetchIndexes.append(
                FetchIndexDescription(index.name, elements: elements, method: methods[index.method] ?? .btree)
            )
        }
    }
    /// What an index has that a fetch index or a uniqueness constraint cannot say.
    private mutating func noteDetails(of index: DatabaseSchema.Index, _ table: DatabaseSchema.Table) {
        if index.isUnique, index.isNullEqual { noteEqualNulls(of: index.name, table) }
        var details: [String] = []
        for element in index.elements {
            let column = element.column ?? element.definition
            if let name = element.operatorClass { details.append("\(column) has the operator class \(name)") }
        }
        if index.hasPayload { details.append("its additional columns (INCLUDE) are left out") }
        guard !details.isEmpty else { return }
        note(
            "The index \(index.name) is simpler in the model than in the database: \(details.joined(separator: ", ")). If you "
                + "create a store from the model, replace the index there in SQL.", table)
    }
}
