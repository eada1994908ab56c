internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    /// Gives rows the values of columns that were elsewhere, or nowhere.
    mutating func fillColumns() {
        for flow in orderedFlows where !flow.isLinks {
            var online: [OnlineFill] = []
            var stale: [StaleRows: [StoreSchema.Column]] = [:]
            for column in flow.new.columns where column.generation == nil {
                let contents = newUses.contents(of: column.name, in: flow.new.name)
                let entities = contents.keys.filter {
                    concreteSource(of: $0) != nil && pairing.new[$0]?.isAbstract == false
                }
                .sorted()
                if entities.isEmpty { continue }
                copyValues(column, flow, entities, contents)
                clearValues(column, flow, entities, contents, &stale)
                fillDefaults(column, flow, entities, contents, &online)
            }
            for (rows, columns) in stale.sorted(by: { $0.key.entities < $1.key.entities }) {
                clear(columns, of: flow, in: rows)
            }
            fillOnline(online, flow)
        }
    }

    /// The rows of some entities.
    private struct StaleRows: Hashable {
        let entities: String
        let condition: String
    }

    /// Clears columns of the same rows in one statement, because rules may hold some of them together.
    private mutating func clear(
        _ columns: [StoreSchema.Column], of flow: TableFlow, in rows: StaleRows
    ) {
        let names = columns.map { quoted($0.name) }
        let values = names.map { "\($0) = NULL" }.joined(separator: ", ")
        let present = names.map { "t.\($0) IS NOT NULL" }.joined(separator: " OR ")
        add(
            .clear,
            "values of \(columns.map { origin(of: $0, in: flow) }.joined(separator: ", ")) removed from objects of "
                + rows.entities,
            on: [flow.new.name],
            ["UPDATE \(table(flow)) AS t SET \(values) WHERE \(rows.condition) AND (\(present))"],
            lock: .rowExclusive)
    }

    private mutating func copyValues(
        _ column: StoreSchema.Column, _ flow: TableFlow, _ entities: [String],
        _ contents: [String: ColumnUses.Content]
    ) {
        guard let old = flow.old else { return }
        var bySource: [String: [String]] = [:]
        for entity in entities {
            guard let content = contents[entity], let source = columnSource(content, entity),
                source.table == old.name, source.column != flow.kept[column.name]
            else { continue }
            bySource[source.column, default: []].append(entity)
        }
        for (source, entities) in bySource.sorted(by: { $0.key < $1.key }) {
            let conversion = entities.first.flatMap { contents[$0].map { ($0, entities[0]) } }
                .flatMap { columnSource($0.0, $0.1)?.conversion }
            let before = places.column(source, of: old.name, alias: "t")
            flows[flow.new.name]?.filled.insert(column.name)
            let isLossy = conversion?.losing(before) != nil
            let rows =
                (isLossy ? filterAmongLeaving(entities, flow) : filter(entities, in: flow.new.name))
                .map { " WHERE \($0)" } ?? ""
            add(
                .fill, "\(origin(of: column, in: flow)) was \(old.name).\(source)", on: [flow.new.name],
                [
                    "UPDATE \(table(flow)) AS t SET \(quoted(column.name)) = "
                        + "\(conversion?.sql(before, to: column.type) ?? before)\(rows)"
                ], lock: .rowExclusive)
        }
    }

    /// What holds for rows of these entities only, while rows that leave the table or are deleted are still in it: their
    /// values need not fit a new type.
    private func filterAmongLeaving(_ entities: [String], _ flow: TableFlow) -> String? {
        guard flow.movesRows, let old = flow.old, old.column(StoreSchema.entityColumn) != nil else {
            return filter(entities, in: flow.new.name)
        }
        if flow.kept[StoreSchema.entityColumn] != nil {
            return filter(entities, in: flow.new.name, leaving: true)
        }
        return oldFilter(entities.compactMap { concreteSource(of: $0)?.name }, in: old.name, alias: "t")
    }

    /// Rows of entities that the column no longer holds anything of.
    private mutating func clearValues(
        _ column: StoreSchema.Column, _ flow: TableFlow, _ entities: [String],
        _ contents: [String: ColumnUses.Content], _ found: inout [StaleRows: [StoreSchema.Column]]
    ) {
        guard let old = flow.old, let source = flow.kept[column.name] else { return }
        let holders = entities.filter { entity in
            contents[entity].flatMap { columnSource($0, entity) }?.table == old.name
        }
        let stale = oldUses.contents(of: source, in: old.name).keys.compactMap { entity -> String? in
            guard let target = pairing.target(ofEntity: entity), !holders.contains(target),
                concreteEntities(in: flow.new.name).contains(where: { $0.name == target })
            else { return nil }
            return target
        }.sorted()
        guard !stale.isEmpty, let rows = filter(stale, in: flow.new.name) else { return }
        if defers, isUnobserved(column, flow, contents) {
            return clearLater(column, flow, rows, reason: stale.joined(separator: ", "))
        }
        if old.column(source)?.isNullable == false, column.isNullable,
            !flow.relaxed.contains(column.name)
        {
            add(
                .alter, "\(origin(of: column, in: flow)) has no value in some rows", on: [flow.new.name],
                ["ALTER TABLE \(table(flow)) ALTER COLUMN \(quoted(column.name)) DROP NOT NULL"])
            flows[flow.new.name]?.relaxed.insert(column.name)
        }
        let names = stale.joined(separator: ", ")
        found[StaleRows(entities: names, condition: rows), default: []].append(column)
    }

    private mutating func fillDefaults(
        _ column: StoreSchema.Column, _ flow: TableFlow, _ entities: [String],
        _ contents: [String: ColumnUses.Content], _ online: inout [OnlineFill]
    ) {
        var groups: [String: (value: String, condition: String, entities: [String])] = [:]
        for entity in entities {
            guard case .leaf(let path)? = contents[entity],
                let fill = fill(path, entity, column, flow)
            else { continue }
            groups[fill.value + fill.condition, default: (fill.value, fill.condition, [])].entities.append(
                entity)
        }
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            if defers, groups.count == 1, group.condition.isEmpty, canFillOnline(column, flow),
                filter(group.entities, in: flow.new.name) == nil
            {
                flows[flow.new.name]?.filledOnline[column.name] = group.value
                online.append((column, group.value))
                continue
            }
            flows[flow.new.name]?.filled.insert(column.name)
            let rows = filter(group.entities, in: flow.new.name).map { " AND \($0)" } ?? ""
            add(
                .clear, "default of \(origin(of: column, in: flow))", on: [flow.new.name],
                [
                    "UPDATE \(table(flow)) AS t SET \(quoted(column.name)) = \(group.value) "
                        + "WHERE t.\(quoted(column.name)) IS NULL\(group.condition)\(rows)"
                ], lock: .rowExclusive)
        }
    }

    /// The value that objects of an entity get where they have none; nil where they keep none.
    private func fill(
        _ path: [String], _ entity: String, _ column: StoreSchema.Column, _ flow: TableFlow
    ) -> (value: String, condition: String)? {
        guard let attribute = pairing.new.property(named: path[0], of: entity)?.attribute,
            attribute.derivation == nil,
            let leaf = AttributeLeaf.leaves(of: attribute, column: "").first(where: { $0.path == path })
        else { return nil }
        let before = pairing.leafSource(of: path, in: entity).flatMap { oldLeaf($0.path, entity) }
        if before == nil, flow.addedWithDefault.contains(column.name) { return nil }
        if before == nil, flow.old == nil, column.defaultValue != nil { return nil }
        if let value = leaf.defaultValue?.sqlLiteral,
            before == nil || leaf.isRequired && before?.isRequired == false
        {
            return (value, "")
        }
        // An element that a composite must have, in composites that are there.
        guard path.count > 1, leaf.defaultValue == nil, !leaf.description.isOptional,
            let value = leaf.description.defaultValue?.sqlLiteral,
            before == nil || before?.description.isOptional == true
        else { return nil }
        let siblings = (newUses.columns[entity] ?? [:]).filter { content, name in
            guard case .leaf(let other) = content, name != column.name else { return false }
            return other.dropLast() == path.dropLast() && pairing.leafSource(of: other, in: entity) != nil
        }.values.sorted()
        if siblings.isEmpty { return nil }
        let isThere = siblings.map { "t.\(quoted($0)) IS NOT NULL" }.joined(separator: " OR ")
        return (value, " AND (\(isThere))")
    }

    private func oldLeaf(_ path: [String], _ entity: String) -> AttributeLeaf? {
        pairing.source(ofEntity: entity).flatMap { pairing.old.property(named: path[0], of: $0)?.attribute }
            .flatMap { AttributeLeaf.leaves(of: $0, column: "").first { $0.path == path } }
    }
}
