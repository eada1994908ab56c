internal import HowdahModel

/// Puts entities together from tables, one stage after the other: names, attributes, relationships, links, indexes.
struct PulledEntities {
    private let schema: DatabaseSchema
    private(set) var notes: [String] = []
    /// By the name of the table.
    private var built: [String: EntityDescription] = [:]
    private var takenProperties: [String: Set<String>] = [:]
    /// By table and column, what became of a column.
    private var properties: [String: [String: String]] = [:]

    init(_ schema: DatabaseSchema) { self.schema = schema }

    var entities: [EntityDescription] { built.keys.sorted().compactMap { built[$0] } }

    mutating func build() {
        let links = schema.tables.filter(isLinkTable)
        let tables = schema.tables.filter { !links.contains($0) && !$0.name.hasPrefix("_howdah") }
        nameEntities(tables)
        for table in tables { addAttributes(of: table) }
        for table in tables { for key in foreignKeys(of: table) { addRelationship(key, of: table) } }
        for table in links { addLinks(table) }
        for table in tables { addRules(of: table) }
        if !schema.others.isEmpty {
            notes.append("Views and foreign tables are left out: \(schema.others.joined(separator: ", ")).")
        }
    }

    mutating func note(_ text: String, _ table: DatabaseSchema.Table, _ column: String? = nil) {
        notes.append("\([table.name, column].compactMap { $0 }.joined(separator: ".")): \(text)")
    }

    private mutating func nameEntities(_ tables: [DatabaseSchema.Table]) {
        var taken: Set<String> = []
        for table in tables {
            var name = PulledNames.entity(table.name)
            while !taken.insert(name).inserted { name += "2" }
            built[table.name] = EntityDescription(
                name, userInfo: name.snakeCased == table.name ? [:] : [MappingKey.table: table.name])
            takenProperties[table.name] = []
        }
    }

    private mutating func claim(_ wanted: String, in table: String) -> String {
        var name = wanted
        var number = 2
        while !(takenProperties[table]?.insert(name).inserted ?? true) {
            name = wanted + String(number)
            number += 1
        }
        return name
    }

    // MARK: Attributes

    private mutating func addAttributes(of table: DatabaseSchema.Table) {
        let key = table.primaryKey
        let references = Set(foreignKeys(of: table).map { $0.columns[0] })
        for column in table.columns where !references.contains(column.name) {
            if ["_version", "_entity"].contains(column.name) { continue }
            if key?.columns == [column.name], ["int2", "int4", "int8"].contains(column.type) {
                if column.name != "_id" {
                    note(
                        "The key column is the object's identity and no attribute; a store of this model has \"_id\" in "
                            + "its place.", table, column.name)
                }
                continue
            }
            add(column, of: table)
        }
        if let key, key.columns.count > 1 {
            note(
                "The primary key of several columns becomes a uniqueness constraint; objects have one integer key.",
                table)
        } else if key == nil {
            note("The table has no primary key; rows of it cannot be told apart.", table)
        }
    }

    private mutating func add(_ column: DatabaseSchema.Column, of table: DatabaseSchema.Table) {
        guard let found = PulledType(column) else {
            return note(
                "The type \(column.spelling) has no counterpart; the column is left out.", table, column.name)
        }
        let name = claim(PulledNames.property(column.name), in: table.name)
        var attribute = AttributeDescription(
            name, found.type, optional: column.isNullable, userInfo: found.userInfo)
        attribute.maximumLength = column.length
        attribute.allowedValues = (column.labels ?? []).map(Value.string)
        if name.snakeCased != column.name { attribute.userInfo[MappingKey.column] = column.name }
        if column.isDomain {
            note(
                "The domain \(column.spelling) is taken for its type; its rules are left out.", table,
                column.name)
        }
        if let remark = found.remark { note(remark, table, column.name) }
        if column.isGenerated {
            note(
                "The column is generated as \(column.expression ?? ""); the attribute is an ordinary one.",
                table, column.name)
        } else if let expression = column.expression, !column.isIdentity {
            attribute.defaultValue = PulledDefault.value(expression, of: found.type)
            if attribute.defaultValue == nil, !PulledDefault.isNull(expression) {
                note("The default \(expression) is none that a model can have.", table, column.name)
            }
        }
        properties[table.name, default: [:]][column.name] = name
        built[table.name]?.properties.append(.attribute(attribute))
    }

    // MARK: Relationships

    /// The foreign keys that can be relationships: of one column, to the key of a table that is read too.
    private func foreignKeys(of table: DatabaseSchema.Table) -> [DatabaseSchema.Constraint] {
        table.constraints.filter { constraint in
            guard constraint.kind == "f", constraint.columns.count == 1,
                let target = schema.tables.first(where: { $0.name == constraint.referencedTable })
            else { return false }
            return target.primaryKey?.columns == constraint.referencedColumns
                && target.integerKey != nil && !isLinkTable(target)
        }
    }

    private mutating func addRelationship(_ key: DatabaseSchema.Constraint, of table: DatabaseSchema.Table) {
        guard let target = key.referencedTable, let owner = built[table.name]?.name,
            let destination = built[target]?.name,
            let column = table.columns.first(where: { $0.name == key.columns[0] })
        else { return }
        if properties[table.name]?[column.name] != nil { return }
        let name = claim(PulledNames.relationship(column.name), in: table.name)
        let siblings = foreignKeys(of: table).filter { $0.referencedTable == target }
        let wanted =
            PulledNames.property(table.name)
            + (siblings.count > 1 ? "By" + name.prefix(1).uppercased() + name.dropFirst() : "")
        let inverse = claim(wanted, in: target)
        let isUnique = table.isUnique([column.name])
        let rule = rule(of: key, table)
        built[table.name]?.properties.append(
            .relationship(
                name, to: destination, inverse: inverse, optional: column.isNullable,
                userInfo: name.snakeCased == column.name ? [:] : [MappingKey.column: column.name]))
        built[target]?.properties.append(
            .relationship(
                inverse, to: owner, inverse: name, toMany: !isUnique, deleteRule: rule))
        properties[table.name, default: [:]][column.name] = name
    }

    private mutating func rule(of key: DatabaseSchema.Constraint, _ table: DatabaseSchema.Table) -> DeleteRule
    {
        switch key.deleteAction {
        case "c": return .cascade
        case "n": return .nullify
        case "d":
            note(
                "ON DELETE SET DEFAULT has no counterpart; the delete rule is deny.", table, key.columns.first
            )
            return .deny
        default: return .deny
        }
    }

    /// A table whose columns are two foreign keys, which together are its key.
    private func isLinkTable(_ table: DatabaseSchema.Table) -> Bool {
        let keys = table.constraints.filter { $0.kind == "f" && $0.columns.count == 1 }
        guard table.columns.count == 2, keys.count == 2, Set(keys.map(\.columns[0])).count == 2 else {
            return false
        }
        return table.isUnique(table.columns.map(\.name))
            && keys.allSatisfy { key in
                schema.tables.first { $0.name == key.referencedTable }?.integerKey.map { [$0] }
                    == key.referencedColumns
            }
    }

    private mutating func addLinks(_ table: DatabaseSchema.Table) {
        let keys = table.columns.compactMap { column in
            table.constraints.first { $0.kind == "f" && $0.columns == [column.name] }
        }
        guard keys.count == 2, let first = keys[0].referencedTable, let second = keys[1].referencedTable,
            let firstEntity = built[first]?.name, let secondEntity = built[second]?.name
        else { return note("The table of links leads to tables that are not read; it is left out.", table) }
        let toSecond = claim(linkName(keys[1], from: first), in: first)
        let toFirst = claim(linkName(keys[0], from: second), in: second)
        let rules = keys.map(linkRule)
        built[first]?.properties.append(
            .relationship(
                toSecond, to: secondEntity, inverse: toFirst, toMany: true, deleteRule: rules[0],
                userInfo: [MappingKey.table: table.name, MappingKey.column: keys[1].columns[0]]))
        built[second]?.properties.append(
            .relationship(
                toFirst, to: firstEntity, inverse: toSecond, toMany: true, deleteRule: rules[1],
                userInfo: [MappingKey.column: keys[0].columns[0]]))
    }

    /// Called after the table it leads to, and within one table after the column.
    private func linkName(_ key: DatabaseSchema.Constraint, from table: String) -> String {
        let target = key.referencedTable ?? table
        return target == table ? PulledNames.relationship(key.columns[0]) : PulledNames.property(target)
    }

    /// What happens to an owner's links is the rule of the relationship that leaves it.
    private func linkRule(_ key: DatabaseSchema.Constraint) -> DeleteRule {
        key.deleteAction == "c" ? .nullify : .deny
    }

    // MARK: Uniqueness and indexes

    private mutating func addRules(of table: DatabaseSchema.Table) {
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
            case "c": note("The constraint \(constraint.name) is left out: \(constraint.definition).", table)
            case "x": note("The exclusion constraint \(constraint.name) is left out.", table)
            case "f" where !foreignKeys(of: table).contains(constraint):
                note(
                    "The foreign key \(constraint.name) is left out: \(constraint.definition). Only references to one integer "
                        + "key become relationships.", table)
            default: continue
            }
        }
        for index in table.indexes { add(index, of: table, names) }
    }

    private mutating func add(
        _ index: DatabaseSchema.Index, of table: DatabaseSchema.Table, _ names: [String: String]
    ) {
        let members = index.elements.compactMap { element in element.column.flatMap { names[$0] } }
        guard members.count == index.elements.count, index.predicate == nil else {
            return note("The index \(index.name) is left out: it is partial, or has an expression.", table)
        }
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
}

extension DatabaseSchema.Table {
    var primaryKey: DatabaseSchema.Constraint? { constraints.first { $0.kind == "p" } }

    /// The one integer column that is the key.
    var integerKey: String? {
        guard let key = primaryKey, key.columns.count == 1,
            let column = columns.first(where: { $0.name == key.columns[0] }),
            ["int2", "int4", "int8"].contains(column.type)
        else { return nil }
        return column.name
    }

    func isUnique(_ names: [String]) -> Bool {
        constraints.contains { ["p", "u"].contains($0.kind) && Set($0.columns) == Set(names) }
            || indexes.contains { index in
                index.isUnique && index.predicate == nil
                    && Set(index.elements.map(\.column)) == Set(names.map { $0 })
            }
    }
}
