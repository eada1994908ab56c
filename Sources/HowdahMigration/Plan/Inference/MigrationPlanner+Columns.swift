internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    /// Makes tables and columns, and turns columns that stay into their new types.
    mutating func alterColumns() {
        for flow in orderedFlows {
            if let old = flow.old {
                addColumns(to: flow, old)
                convertColumns(of: flow, old)
            } else {
                create(flow)
            }
        }
    }

    private mutating func create(_ flow: TableFlow) {
        var table = flow.new
        if flow.movesRows {
            table.checks = []
            for place in table.columns.indices {
                let column = table.columns[place]
                if column.generation != nil || column.isNullable || table.primaryKey.contains(column.name) {
                    continue
                }
                // Written by every statement that makes rows.
                if keysLate, [StoreSchema.versionColumn, StoreSchema.entityColumn].contains(column.name) {
                    continue
                }
                table.columns[place].isNullable = true
                flows[flow.new.name]?.relaxed.insert(column.name)
            }
        } else {
            flows[flow.new.name]?.hasChecks = true
        }
        add(
            .create, reason(ofTable: flow), on: [flow.new.name],
            [table.creation(in: new, withPrimaryKey: !isKeyedLate(flow))],
            lock: .none)
    }

    private func reason(ofTable flow: TableFlow) -> String {
        if let link = linkTables.first(where: { $0.table == flow.new.name }) {
            return "table of \(link.entity).\(link.mapping.description.name)"
        }
        let root = pairing.new.roots.first { new.entities[$0.name]?.table == flow.new.name }?.name
        return "table of \(root ?? flow.new.name)"
    }

    private mutating func addColumns(to flow: TableFlow, _ old: StoreSchema.Table) {
        for column in flow.new.columns where flow.kept[column.name] == nil {
            let reason = "new column of \(origin(of: column, in: flow))"
            var added = column
            if column.name == StoreSchema.entityColumn, !flow.isLinks {
                let source = concreteEntities(in: flow.new.name).first {
                    concreteSource(of: $0.name).flatMap { self.old.entities[$0.name]?.table } == old.name
                }
                added.defaultValue = .string(source?.storedName ?? "")
                flows[flow.new.name]?.addedWithDefault.insert(column.name)
            } else if column.generation != nil {
                add(
                    .generate, reason, on: [flow.new.name],
                    ["ALTER TABLE \(table(flow)) ADD COLUMN \(column.definition(in: new))"], rewrites: true)
                continue
            } else if hasNoSource(column, in: flow), column.defaultValue?.sqlLiteral != nil {
                flows[flow.new.name]?.addedWithDefault.insert(column.name)
            } else {
                // What rows get is written into them; the default is for rows to come.
                added.defaultValue = nil
                if !column.isNullable {
                    added.isNullable = true
                    flows[flow.new.name]?.relaxed.insert(column.name)
                }
            }
            add(
                .alter, reason, on: [flow.new.name],
                ["ALTER TABLE \(table(flow)) ADD COLUMN \(added.definition(in: new))"])
        }
    }

    /// Whether no row had a value before.
    private func hasNoSource(_ column: StoreSchema.Column, in flow: TableFlow) -> Bool {
        let contents = newUses.contents(of: column.name, in: flow.new.name)
        return !contents.isEmpty && contents.allSatisfy { columnSource($1, $0) == nil } || flow.isLinks
    }

    private mutating func convertColumns(of flow: TableFlow, _ old: StoreSchema.Table) {
        var actions: [String] = []
        var reasons: [String] = []
        for column in flow.new.columns {
            guard let source = flow.kept[column.name], let before = old.column(source) else { continue }
            let name = quoted(column.name)
            if before.generation != nil, column.generation == nil {
                add(
                    .alter, "\(origin(of: column, in: flow)) is no longer derived", on: [flow.new.name],
                    ["ALTER TABLE \(table(flow)) ALTER COLUMN \(name) DROP EXPRESSION"])
            }
            if flow.movesRows, !before.isNullable, column.generation == nil,
                !flow.new.primaryKey.contains(column.name), !flow.isLinks
            {
                add(
                    .alter, "rows of other tables are added, or references are removed", on: [flow.new.name],
                    ["ALTER TABLE \(table(flow)) ALTER COLUMN \(name) DROP NOT NULL"])
                flows[flow.new.name]?.relaxed.insert(column.name)
            }
            guard before.type != column.type else { continue }
            let conversion = newUses.contents(of: column.name, in: flow.new.name).compactMap {
                columnSource($1, $0)?.conversion
            }.first
            if before.defaultValue != nil { actions.append("ALTER COLUMN \(name) DROP DEFAULT") }
            actions.append(
                "ALTER COLUMN \(name) TYPE \(column.type.sql) USING \(conversion?.sql(name, to: column.type) ?? name)"
            )
            reasons.append("type of \(origin(of: column, in: flow))")
        }
        guard !actions.isEmpty else { return }
        add(
            .alter, reasons.joined(separator: ", "), on: [flow.new.name],
            ["ALTER TABLE \(table(flow)) \(actions.joined(separator: ", "))"], rewrites: true)
    }

    /// What a column holds, for people.
    func origin(of column: StoreSchema.Column, in flow: TableFlow) -> String {
        let contents = newUses.contents(of: column.name, in: flow.new.name)
        let owners = contents.keys.filter { entity in
            guard let property = contents[entity]?.property else { return false }
            return pairing.new[entity]?.properties.contains { $0.name == property } ?? false
        }
        guard let entity = owners.min(), let content = contents[entity] else {
            return "\(flow.new.name).\(column.name)"
        }
        return switch content {
        case .leaf(let path): "\(entity).\(path.joined(separator: "."))"
        case .toOne(let name): "\(entity).\(name)"
        case .toOneEntity(let name): "the entity of \(entity).\(name)"
        case .order(let name): "the order of \(entity).\(name)"
        }
    }

    // MARK: - Afterwards

    mutating func dropRemains() {
        for flow in orderedFlows {
            guard let old = flow.old else { continue }
            var names = old.columns.map(\.name).filter { !flow.kept.values.contains($0) }
            for name in names {
                guard let column = old.column(name), isDroppedEarly(column, of: flow) else { continue }
                names.removeAll { $0 == name }
                add(
                    .dropRules, "\(old.name).\(name) is recomputed or removed", on: [flow.new.name],
                    [
                        "ALTER TABLE \(SQLIdentifier.quoted(namespace, old.name)) DROP COLUMN \(quoted(name))"
                    ])
            }
            guard !names.isEmpty else { continue }
            // A column that the server computes from another one goes before it.
            let isComputed = { (name: String) in old.column(name)?.generation != nil }
            names = names.filter(isComputed) + names.filter { !isComputed($0) }
            let actions = names.map { "DROP COLUMN \(places.column($0, of: old.name))" }
            add(
                defers ? .laterDrop : .drop,
                "\(names.map { "\(old.name).\($0)" }.joined(separator: ", ")) removed",
                on: [flow.new.name],
                ["ALTER TABLE \(table(flow)) \(actions.joined(separator: ", "))"])
        }
        for table in endingTables {
            add(
                defers ? .laterDrop : .drop, "table \(table.name) removed",
                on: [defers ? places.tables[table.name] ?? table.name : table.name],
                ["DROP TABLE \(places.table(table.name))"])
        }
    }

    /// Defaults, and what is optional or required now.
    mutating func tightenColumns() {
        for flow in orderedFlows {
            var loosening: [(action: String, reason: String)] = []
            var tightening: [(action: String, reason: String)] = []
            for column in flow.new.columns where column.generation == nil {
                let name = quoted(column.name)
                let before = flow.kept[column.name].flatMap { flow.old?.column($0) }
                let place = origin(of: column, in: flow)
                if let change = defaultChange(column, before, flow) {
                    loosening.append(("ALTER COLUMN \(name) \(change)", "default of \(place)"))
                }
                let isNullable =
                    flow.relaxed.contains(column.name) || (before?.isNullable ?? column.isNullable)
                guard isNullable != column.isNullable else { continue }
                if column.isNullable {
                    loosening.append(("ALTER COLUMN \(name) DROP NOT NULL", "\(place) is optional"))
                } else if defers, !flow.new.primaryKey.contains(column.name) {
                    requireLater(column, flow, place)
                } else {
                    tightening.append(("ALTER COLUMN \(name) SET NOT NULL", "\(place) is required"))
                    checkPresence(of: column, flow, place)
                }
            }
            for (phase, changes) in [(Phase.loosen, loosening), (.tighten, tightening)] where !changes.isEmpty
            {
                add(
                    phase, changes.map(\.reason).joined(separator: ", "), on: [flow.new.name],
                    ["ALTER TABLE \(table(flow)) \(changes.map(\.action).joined(separator: ", "))"])
            }
        }
    }

    private func defaultChange(
        _ column: StoreSchema.Column, _ before: StoreSchema.Column?, _ flow: TableFlow
    ) -> String? {
        if column.isIDSequenceDefault { return nil }
        let wanted = column.defaultValue?.sqlLiteral
        let present: String?
        if let before {
            // Another type has the default written anew, so that the catalogue has it as a fresh store would.
            present = flow.converted.contains(column.name) ? nil : before.defaultValue?.sqlLiteral
        } else if flow.old == nil {
            present = wanted
        } else if column.name == StoreSchema.entityColumn, !flow.isLinks {
            present = ""
        } else {
            present = flow.addedWithDefault.contains(column.name) ? wanted : nil
        }
        guard present != wanted else { return nil }
        return wanted.map { "SET DEFAULT \($0)" } ?? "DROP DEFAULT"
    }

    /// The fault and the remedy of rows that lack a required value.
    static func absence(_ place: String, isLink: Bool) -> (fault: String, remedy: String) {
        isLink
            ? (
                "\(place) is required but has no object",
                "Make \(place) optional, or set it in an earlier stage of the migration"
            )
            : (
                "\(place) is required but has no value",
                "Give \(place) a default, make it optional, or set it in an earlier stage of the migration"
            )
    }

    mutating func checkPresence(of column: StoreSchema.Column, _ flow: TableFlow, _ place: String) {
        let contents = newUses.contents(of: column.name, in: flow.new.name)
        // The entity beside a key is missing with the key.
        if case .toOneEntity? = contents.values.first { return }
        let isLink = if case .toOne? = contents.values.first { true } else { false }
        let entity = contents.keys.min() ?? flow.new.name
        let root = pairing.new.root(of: entity)?.name ?? entity
        check(
            .tighten, "every object has \(place)", flow, where: "t.\(quoted(column.name)) IS NULL",
            entity: root,
            fault: Self.absence(place, isLink: isLink).fault,
            remedy: Self.absence(place, isLink: isLink).remedy)
    }
}
