internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// A check, unique rule, index, foreign key or trigger of a table, on the way from one schema to another.
struct TableRule {
    enum Kind: String, CaseIterable {
        case check, unique, index, foreignKey = "foreign key", trigger
    }

    let name: String
    /// What it says, without its name, in the new schema's words; nil where that is about what is no more as it was.
    let meaning: String?
    let origin: StoreSchema.Origin
    /// Whether it is a constraint of its table, rather than an index.
    let isConstraint: Bool

    /// Where it comes from, for people.
    var place: String {
        let properties = origin.properties.joined(separator: ", ")
        return properties.isEmpty ? origin.entity : "\(origin.entity).\(properties)"
    }
}

extension MigrationPlanner {
    /// The rules of a table as the new schema has them.
    func newRules(_ kind: TableRule.Kind, _ table: StoreSchema.Table) -> [TableRule] {
        switch kind {
        case .check:
            table.checks.map {
                TableRule(name: $0.name, meaning: $0.condition.sql, origin: $0.origin, isConstraint: true)
            }
        case .unique: table.uniques.map { rule($0, named: $0.name, on: table) }
        case .index: table.indexes.map { rule($0, named: $0.name, on: table) }
        case .foreignKey: table.foreignKeys.map { rule($0, named: $0.name, on: table) }
        case .trigger:
            table.triggers.map {
                TableRule(
                    name: $0.name, meaning: $0.creation(on: table, in: namespace).joined(separator: ";"),
                    origin: $0.origin, isConstraint: false)
            }
        }
    }

    /// The rules of the old table, as they are after all renames.
    func oldRules(_ kind: TableRule.Kind, _ flow: TableFlow) -> [TableRule] {
        guard let old = flow.old else { return [] }
        let rename = { (column: String) in flow.unchangedName(of: column) }
        let isKept = !flow.movesRows
        switch kind {
        case .check:
            return old.checks.map { check in
                let meaning = isKept ? check.condition.renamingColumns(rename)?.sql : nil
                let isCleared = flow.cleared.contains { meaning?.contains(quoted($0)) ?? false }
                return TableRule(
                    name: check.name, meaning: isCleared ? nil : meaning, origin: check.origin,
                    isConstraint: true)
            }
        case .unique:
            return old.uniques.map { unique in
                let renamed = isKept ? unique.renamingColumns(rename, keepsAll: flow.keepsAllColumns) : nil
                let isFilled = renamed.map { unique in
                    let meaning = rule(unique, named: "", on: flow.new).meaning
                    return flow.filled.contains { meaning?.contains(quoted($0)) ?? false }
                }
                return (isFilled == true ? nil : renamed).map { rule($0, named: unique.name, on: flow.new) }
                    ?? TableRule(
                        name: unique.name, meaning: nil, origin: unique.origin,
                        isConstraint: unique.isConstraint)
            }
        case .index:
            return old.indexes.map { index in
                let renamed = isKept ? index.renamingColumns(rename, keepsAll: flow.keepsAllColumns) : nil
                return renamed.map { rule($0, named: index.name, on: flow.new) }
                    ?? TableRule(name: index.name, meaning: nil, origin: index.origin, isConstraint: false)
            }
        case .foreignKey:
            return old.foreignKeys.map { key in
                let target = flows.values.first { $0.old?.name == key.referencedTable }
                guard isKept, let target, !target.movesRows,
                    key.referencedColumns.count == 1 || !target.renamesEntities,
                    let columns = key.columns.all(rename),
                    let referenced = key.referencedColumns.all({ target.unchangedName(of: $0) })
                else {
                    return TableRule(name: key.name, meaning: nil, origin: key.origin, isConstraint: true)
                }
                var renamed = key
                renamed.columns = columns
                renamed.referencedTable = target.new.name
                renamed.referencedColumns = referenced
                return rule(renamed, named: key.name, on: flow.new)
            }
        case .trigger:
            return old.triggers.map { trigger in
                let isSame =
                    isKept && old.name == flow.new.name
                    && old.columns.allSatisfy {
                        flow.kept[$0.name] == $0.name || flow.kept[$0.name] == nil
                    } && trigger.duty.watchedColumns.allSatisfy { flow.unchangedName(of: $0) == $0 }
                let text = trigger.creation(on: old, in: namespace).joined(separator: ";")
                return TableRule(
                    name: trigger.name, meaning: isSame ? text : nil, origin: trigger.origin,
                    isConstraint: false)
            }
        }
    }

    private func rule(
        _ unique: StoreSchema.Unique, named name: String, on table: StoreSchema.Table
    ) -> TableRule {
        var bare = unique
        bare.name = ""
        return TableRule(
            name: name, meaning: bare.creation(on: table, in: namespace), origin: unique.origin,
            isConstraint: unique.isConstraint)
    }

    private func rule(
        _ index: StoreSchema.Index, named name: String, on table: StoreSchema.Table
    ) -> TableRule {
        var bare = index
        bare.name = ""
        return TableRule(
            name: name, meaning: bare.creation(on: table, in: namespace), origin: index.origin,
            isConstraint: false)
    }

    private func rule(
        _ key: StoreSchema.ForeignKey, named name: String, on table: StoreSchema.Table
    ) -> TableRule {
        var bare = key
        bare.name = ""
        return TableRule(
            name: name, meaning: bare.creation(on: table, in: namespace), origin: key.origin,
            isConstraint: true)
    }
}
