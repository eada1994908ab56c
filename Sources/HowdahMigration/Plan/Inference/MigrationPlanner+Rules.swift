internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    private typealias Kind = TableRule.Kind

    /// A rule that stays under another name.
    private struct Renaming {
        let rule: TableRule
        let name: String
        let oldTable: String
        let newTable: String
    }

    /// Drops rules that the new schema does not have or that say something else, renames the others, makes what is
    /// missing.
    mutating func changeRules() {
        var renamings: [Renaming] = []
        for flow in orderedFlows {
            changePrimaryKey(flow, &renamings)
            for kind in Kind.allCases {
                var open = newRules(kind, flow.new)
                for rule in oldRules(kind, flow) {
                    let same = open.firstIndex { $0.meaning == rule.meaning && $0.name == rule.name }
                    guard rule.meaning != nil,
                        let position = same ?? open.firstIndex(where: { $0.meaning == rule.meaning })
                    else {
                        drop(rule, kind, of: flow.old?.name ?? flow.new.name, flow.new.name)
                        continue
                    }
                    let twin = open.remove(at: position)
                    if twin.name != rule.name, let old = flow.old {
                        renamings.append(
                            Renaming(rule: rule, name: twin.name, oldTable: old.name, newTable: flow.new.name)
                        )
                    }
                }
                if kind == .check, flow.hasChecks { continue }
                for rule in open { make(rule.name, kind, flow) }
            }
        }
        for table in endingTables { dropRules(ofEnding: table) }
        rename(renamings)
    }

    private mutating func rename(_ renamings: [Renaming]) {
        var taken = Set(renamings.map(\.rule.name))
        taken.formUnion(places.tables.filter { $0.key != $0.value }.keys)
        for renaming in renamings.sorted(by: { $0.rule.name < $1.rule.name }) {
            let reason = "\(renaming.rule.name) → \(renaming.name)"
            func statement(_ table: String, _ from: String, _ to: String) -> String {
                renaming.rule.isConstraint
                    ? "ALTER TABLE \(SQLIdentifier.quoted(namespace, table)) RENAME CONSTRAINT \(quoted(from)) "
                        + "TO \(quoted(to))"
                    : "ALTER INDEX \(SQLIdentifier.quoted(namespace, from)) RENAME TO \(quoted(to))"
            }
            let isTaken = taken.contains(renaming.name)
            let first = isTaken ? places.aside() : renaming.name
            add(
                .nameRules, reason, on: [renaming.newTable],
                [statement(renaming.oldTable, renaming.rule.name, first)])
            guard isTaken else { continue }
            add(
                .nameRulesAgain, reason, on: [renaming.newTable],
                [statement(renaming.newTable, first, renaming.name)])
        }
    }

    private mutating func changePrimaryKey(_ flow: TableFlow, _ renamings: inout [Renaming]) {
        guard let old = flow.old else {
            if isKeyedLate(flow) { addPrimaryKey(flow) }
            return
        }
        let rule = TableRule(
            name: old.primaryKeyName, meaning: nil, origin: StoreSchema.Origin(flow.new.name),
            isConstraint: true)
        if old.primaryKey.all({ flow.unchangedName(of: $0) }) == flow.new.primaryKey {
            guard old.primaryKeyName != flow.new.primaryKeyName else { return }
            renamings.append(
                Renaming(
                    rule: rule, name: flow.new.primaryKeyName, oldTable: old.name, newTable: flow.new.name))
            return
        }
        drop(rule, .check, of: old.name, flow.new.name)
        addPrimaryKey(flow)
    }

    private mutating func addPrimaryKey(_ flow: TableFlow) {
        add(
            .primaryKeys, "primary key of \(flow.new.name)", on: [flow.new.name],
            ["ALTER TABLE \(table(flow)) ADD \(flow.new.primaryKeyDefinition)"])
    }

    private mutating func drop(
        _ rule: TableRule, _ kind: TableRule.Kind, of oldTable: String, _ table: String
    ) {
        let target = SQLIdentifier.quoted(namespace, oldTable)
        let name = SQLIdentifier.quoted(namespace, rule.name)
        let phase: Phase
        let statements: [String]
        switch kind {
        case .trigger:
            phase = .dropTriggers
            statements = [
                "DROP TRIGGER \(quoted(rule.name)) ON \(target)", "DROP FUNCTION \(name)()",
            ]
        case .foreignKey:
            phase = .dropForeignKeys
            statements = ["ALTER TABLE \(target) DROP CONSTRAINT \(quoted(rule.name))"]
        case .check, .unique, .index:
            phase = .dropRules
            statements =
                rule.isConstraint
                ? ["ALTER TABLE \(target) DROP CONSTRAINT \(quoted(rule.name))"] : ["DROP INDEX \(name)"]
        }
        add(phase, "\(kind.rawValue) of \(rule.place)", on: [table], statements)
    }

    /// Foreign keys, so that tables can be dropped in any order, and whatever has a name that is needed.
    private mutating func dropRules(ofEnding table: StoreSchema.Table) {
        for kind in Kind.allCases {
            for rule in newRules(kind, table)
            where kind == .foreignKey || kind == .trigger || newNames.contains(rule.name) {
                drop(rule, kind, of: table.name, table.name)
            }
        }
        guard newNames.contains(table.primaryKeyName) else { return }
        let rule = TableRule(
            name: table.primaryKeyName, meaning: nil, origin: StoreSchema.Origin(table.name),
            isConstraint: true)
        drop(rule, .check, of: table.name, table.name)
    }

    // MARK: - Making

    private mutating func make(_ name: String, _ kind: TableRule.Kind, _ flow: TableFlow) {
        let table = flow.new
        let hasRows = flow.old != nil || flow.movesRows
        switch kind {
        case .check:
            guard let check = table.checks.first(where: { $0.name == name }) else { return }
            if defers, hasRows { return makeLater(check, flow) }
            if hasRows { look(check, flow) }
            add(
                .checks, "rule of \(place(check.origin))", on: [table.name],
                ["ALTER TABLE \(self.table(flow)) ADD \(check.definition)"])
        case .unique:
            guard let unique = table.uniques.first(where: { $0.name == name }) else { return }
            if defers, hasRows, !isReferenced(unique, table) { return makeOnline(unique, flow) }
            if hasRows { look(unique, flow) }
            // What holds the key cannot be broken by rows, and foreign keys rely on it.
            let isKey = Set(unique.columns).isSuperset(of: table.primaryKey)
            add(
                isKey ? .primaryKeys : .uniques, "\(place(unique.origin)) is unique", on: [table.name],
                [unique.creation(on: table, in: namespace)],
                lock: unique.isConstraint ? .accessExclusive : .share)
        case .index:
            guard let index = table.indexes.first(where: { $0.name == name }) else { return }
            if defers, hasRows { return makeLater(index, flow) }
            add(
                .indexes, "index of \(place(index.origin))", on: [table.name],
                [index.creation(on: table, in: namespace)], lock: .share)
        case .foreignKey:
            guard let key = table.foreignKeys.first(where: { $0.name == name }) else { return }
            if hasRows { look(key, flow) }
            if defers, hasRows { return makeLater(key, flow) }
            add(
                .foreignKeys, "\(place(key.origin)) refers to \(key.referencedTable)",
                on: [table.name, key.referencedTable], [key.creation(on: table, in: namespace)],
                lock: .shareRowExclusive)
        case .trigger:
            guard let trigger = table.triggers.first(where: { $0.name == name }) else { return }
            add(
                .triggers, trigger.label, on: [table.name],
                trigger.creation(on: table, in: namespace), lock: .shareRowExclusive)
        }
    }

    func place(_ origin: StoreSchema.Origin) -> String { origin.place }

    mutating func look(_ rule: StoreSchema.Check, _ flow: TableFlow) {
        guard let fault = fault(of: rule, flow) else { return }
        addLook(.checks, "every object fits the rule of \(place(rule.origin))", flow, fault)
    }

    private mutating func look(_ unique: StoreSchema.Unique, _ flow: TableFlow) {
        guard let fault = fault(of: unique, flow) else { return }
        addLook(.uniques, "no two objects share \(place(unique.origin))", flow, fault)
    }

    private mutating func addLook(_ phase: Phase, _ reason: String, _ flow: TableFlow, _ fault: RowFault) {
        add(phase, reason, on: [flow.new.name], [fault.look], lock: .accessShare, check: fault.check)
    }

    /// Rows that do not keep a rule: how they are found, and what is wrong with them.
    struct RowFault {
        let look: String
        let check: MigrationStep.Check
    }

    /// Nil where the library itself keeps the rule.
    func fault(of rule: StoreSchema.Check, _ flow: TableFlow) -> RowFault? {
        guard !rule.origin.properties.isEmpty, !flow.isLinks, !rule.name.hasSuffix("_pair_check") else {
            return nil
        }
        if rule.condition.isRequirementOfSubentities {
            let place = place(rule.origin)
            let property = rule.origin.properties.first.flatMap {
                pairing.new.property(named: $0, of: rule.origin.entity)
            }
            let (fault, remedy) = Self.absence(place, isLink: property?.relationship != nil)
            return RowFault(
                look: look(flow, where: "NOT (\(rule.condition.sql))"),
                check: MigrationStep.Check(entityName: rule.origin.entity, fault: fault, remedy: remedy))
        }
        return RowFault(
            look: look(flow, where: "NOT (\(rule.condition.sql))"),
            check: MigrationStep.Check(
                entityName: rule.origin.entity, fault: "the new rule of \(place(rule.origin)) is violated",
                remedy: "Correct the values in the store or in an earlier stage, or relax the rule"))
    }

    /// Nil where the library itself keeps the rule.
    func fault(of unique: StoreSchema.Unique, _ flow: TableFlow) -> RowFault? {
        guard !unique.origin.properties.isEmpty else { return nil }
        let key = flow.new.primaryKey[0]
        let members =
            unique.elements?.map { $0.subject.sql(in: namespace) } ?? unique.columns.map(quoted)
        let isPresent =
            members.map { "\($0) IS NOT NULL" } + [unique.filter.map { "(\($0.sql))" }].compactMap { $0 }
        return RowFault(
            look: look(
                flow,
                where:
                    "t.\(quoted(key)) IN (SELECT g.k FROM (SELECT \(quoted(key)) AS k, pg_catalog.count(*) OVER "
                    + "(PARTITION BY \(members.joined(separator: ", "))) AS n FROM \(table(flow)) "
                    + "WHERE \(isPresent.joined(separator: " AND "))) AS g WHERE g.n > 1)"),
            check: MigrationStep.Check(
                entityName: unique.origin.entity,
                fault: "\(place(unique.origin)) must be unique, but objects share values",
                remedy: "Merge or change these objects in the store or in an earlier stage"))
    }

    private mutating func look(_ key: StoreSchema.ForeignKey, _ flow: TableFlow) {
        guard let column = key.columns.first, let before = flow.kept[column],
            let old = flow.old, !old.foreignKeys.contains(where: { $0.columns.first == before }),
            let target = flows[key.referencedTable], let referenced = key.referencedColumns.first
        else { return }
        check(
            .foreignKeys, "every \(place(key.origin)) exists", flow,
            where: "t.\(quoted(column)) IS NOT NULL AND NOT EXISTS (SELECT FROM \(table(target)) AS d "
                + "WHERE d.\(quoted(referenced)) = t.\(quoted(column)))", entity: key.origin.entity,
            fault: "\(place(key.origin)) refers to objects that do not exist",
            remedy: "Set \(place(key.origin)) to nil or to another object in an earlier stage")
    }
}

extension StoreSchema.Condition {
    /// Indicates whether it says that the objects of some entities of a shared table have a value.
    fileprivate var isRequirementOfSubentities: Bool {
        guard case .or(let parts) = self, parts.count == 2, case .not(.isOneOf(let column, _)) = parts[0]
        else {
            return false
        }
        return column == StoreSchema.entityColumn && demandsPresence
    }
}
