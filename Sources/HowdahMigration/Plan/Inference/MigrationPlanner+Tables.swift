internal import HowdahModel
internal import HowdahSchema
internal import PQClient

extension MigrationPlanner {
    /// Rows of one entity that move to another table.
    struct RowMove {
        let from: String
        let to: String
        /// In the old model.
        let source: String
        /// In the new model.
        let entity: String
    }

    /// Decides which table continues which one. A table of objects continues the one that the objects of its root
    /// entity were in, else that of the first entity below it; a table of links the one of its relationship.
    mutating func matchTables() {
        var free = Set(old.tables.map(\.name))
        var matches: [String: String] = [:]
        func claim(_ table: String, _ source: String?) {
            guard matches[table] == nil, let source, free.remove(source) != nil else { return }
            matches[table] = source
        }
        let roots = pairing.new.roots
        let (pairing, old) = (pairing, old)
        let table = { (entity: String) in pairing.source(ofEntity: entity).flatMap { old.entities[$0]?.table }
        }
        for root in roots {
            guard let name = new.entities[root.name]?.table, let source = pairing.source(ofEntity: root.name),
                pairing.old[source]?.superentity == nil
            else { continue }
            claim(name, table(root.name))
        }
        for root in roots {
            guard let name = new.entities[root.name]?.table else { continue }
            for member in pairing.new.descendants(of: root.name) { claim(name, table(member.name)) }
        }
        for storage in linkTables { claim(storage.table, oldLinkTable(of: storage)) }
        for table in new.tables {
            flows[table.name] = TableFlow(
                new: table, old: matches[table.name].flatMap { old.table(named: $0) },
                isLinks: !pairing.new.roots.contains { new.entities[$0.name]?.table == table.name })
        }
        endingTables = old.tables.filter { free.contains($0.name) }
        for move in rowMoves {
            flows[move.to]?.movesRows = true
            for flow in flows.values where flow.old?.name == move.from {
                flows[flow.new.name]?.movesRows = true
            }
        }
        for rename in renamedStoredNames {
            if let table = new.entities[rename.entity]?.table { flows[table]?.renamesEntities = true }
        }
        for entity in endingEntities {
            for flow in flows.values where flow.old?.name == old.entities[entity.name]?.table {
                flows[flow.new.name]?.movesRows = true
            }
        }
    }

    /// Rows that move to a table which does not continue the one they are in.
    var rowMoves: [RowMove] {
        pairing.new.entities.sorted { $0.name < $1.name }.compactMap { entity in
            guard !entity.isAbstract, let to = new.entities[entity.name]?.table,
                let source = concreteSource(of: entity.name), let from = old.entities[source.name]?.table,
                flows[to]?.old?.name != from
            else { return nil }
            return RowMove(from: from, to: to, source: source.name, entity: entity.name)
        }
    }

    /// Concrete entities of the old model whose objects have no place in the new one, by name.
    var endingEntities: [EntityDescription] {
        pairing.old.entities.filter { entity in
            guard !entity.isAbstract else { return false }
            guard let target = pairing.target(ofEntity: entity.name) else { return true }
            return pairing.new[target]?.isAbstract ?? true
        }.sorted { $0.name < $1.name }
    }

    /// A table of links of the new schema, from one of its sides.
    struct LinkTable {
        let table: String
        let entity: String
        let mapping: JoinMapping
    }

    /// Each once, from the side whose entity and name come first.
    var linkTables: [LinkTable] {
        var seen: Set<String> = []
        return pairing.new.entities.sorted { $0.name < $1.name }.flatMap { entity in
            entity.properties.map(\.name).sorted().compactMap { name -> LinkTable? in
                guard case .join(let mapping)? = new.entities[entity.name]?.property(named: name)?.mapping,
                    seen.insert(mapping.joinTable).inserted
                else { return nil }
                return LinkTable(table: mapping.joinTable, entity: entity.name, mapping: mapping)
            }
        }
    }

    private func oldLinkTable(of link: LinkTable) -> String? {
        guard let source = linkSource(link.mapping.description, of: link.entity),
            case .join(let mapping) = source.mapping
        else { return nil }
        return mapping.joinTable
    }

    // MARK: - Columns

    /// Decides which columns stay where they are: those that hold the same for all entities.
    mutating func matchColumns() {
        for name in flows.keys.sorted() {
            guard var flow = flows[name], let old = flow.old else { continue }
            if flow.isLinks { matchLinkColumns(&flow, old) } else { matchObjectColumns(&flow, old) }
            flow.converted = Set(
                flow.kept.filter { new, before in
                    flow.new.column(new)?.type != old.column(before)?.type
                }.keys)
            flows[name] = flow
        }
        for name in flows.keys.sorted() { matchGeneratedColumns(name) }
    }

    private func matchObjectColumns(_ flow: inout TableFlow, _ old: StoreSchema.Table) {
        let table = flow.new.name
        flow.kept[flow.new.primaryKey[0]] = old.primaryKey[0]
        if let entity = new.entities.values.first(where: { $0.table == table }),
            let before = self.old.entities.values.first(where: { $0.table == old.name })
        {
            if let version = entity.versionColumn, let earlier = before.versionColumn {
                flow.kept[version] = earlier
            }
            if let discriminator = entity.discriminator, let earlier = before.discriminator {
                flow.kept[discriminator] = earlier
            }
        }
        var wanted: [String: [String]] = [:]
        for column in flow.new.columns where flow.kept[column.name] == nil && column.generation == nil {
            let sources = Set(
                newUses.contents(of: column.name, in: table).compactMap { entity, content -> String? in
                    guard concreteSource(of: entity) != nil || pairing.new[entity]?.isAbstract == true,
                        let source = columnSource(content, entity), source.table == old.name
                    else { return nil }
                    return source.column
                })
            if sources.count == 1, let source = sources.first {
                wanted[source, default: []].append(column.name)
            }
        }
        let losesRows = rowMoves.contains { $0.from == old.name }
        for (source, columns) in wanted {
            let type = old.column(source)?.type
            let unchanged = columns.filter { flow.new.column($0)?.type == type }
            // A column that is converted in place serves no other one: rows that leave the table, and columns that other
            // entities have now, need the values as they were.
            let candidates =
                unchanged.isEmpty && !losesRows && columns.count == 1
                    && takesEveryValue(columns[0], of: source, table, old) ? columns : unchanged
            guard let kept = candidates.first(where: { $0 == source }) ?? candidates.min() else { continue }
            flow.kept[kept] = source
        }
    }

    /// Indicates whether every value of an old column can be converted to the type of the new one, also values in rows of
    /// entities that do not have the new column.
    private func takesEveryValue(
        _ column: String, of source: String, _ table: String, _ old: StoreSchema.Table
    ) -> Bool {
        let contents = newUses.contents(of: column, in: table)
        let conversions = contents.compactMap { columnSource($1, $0)?.conversion }
        guard conversions.contains(where: { $0.losing(source) != nil }) else { return true }
        let holders = Set(contents.keys.compactMap { concreteSource(of: $0)?.name })
        return oldUses.contents(of: source, in: old.name).keys.allSatisfy {
            holders.contains($0) || pairing.old[$0]?.isAbstract != false
        }
    }

    private func matchLinkColumns(_ flow: inout TableFlow, _ old: StoreSchema.Table) {
        guard let link = linkTables.first(where: { $0.table == flow.new.name }),
            let source = linkSource(link.mapping.description, of: link.entity),
            case .join(let before) = source.mapping
        else { return }
        let now = link.mapping
        let pairs: [(String?, String?)] =
            source.isReversed
            ? [
                (now.ownColumn, before.otherColumn), (now.otherColumn, before.ownColumn),
                (now.ownEntityColumn, before.otherEntityColumn),
                (now.otherEntityColumn, before.ownEntityColumn),
                (now.ownOrderColumn, before.otherOrderColumn), (now.otherOrderColumn, before.ownOrderColumn),
            ]
            : [
                (now.ownColumn, before.ownColumn), (now.otherColumn, before.otherColumn),
                (now.ownEntityColumn, before.ownEntityColumn),
                (now.otherEntityColumn, before.otherEntityColumn),
                (now.ownOrderColumn, before.ownOrderColumn), (now.otherOrderColumn, before.otherOrderColumn),
            ]
        for case (let now?, let before?) in pairs { flow.kept[now] = before }
    }

    /// A column that the server computes stays where it is computed from the same; one that is written again too.
    private mutating func matchGeneratedColumns(_ name: String) {
        guard var flow = flows[name], let old = flow.old else { return }
        for column in flow.new.columns where column.generation != nil {
            let sources = newUses.contents(of: column.name, in: name).compactMap { columnSource($1, $0) }
            guard let source = sources.first?.column, sources.allSatisfy({ $0.column == source }),
                let before = old.column(source), !flow.kept.values.contains(source),
                before.type == column.type,
                let generation = before.generation, let from = flow.unchangedName(of: generation.source),
                generation.replacingSource(from) == column.generation
            else { continue }
            flow.kept[column.name] = source
        }
        flows[name] = flow
    }

    /// Where what an object has in its row was in the old store, in a row as well; nil where it was not.
    func columnSource(
        _ content: ColumnUses.Content, _ entity: String
    ) -> (table: String, column: String, conversion: AttributeConversion?)? {
        guard let source = pairing.source(ofEntity: entity), let table = old.entities[source]?.table else {
            return nil
        }
        if case .leaf(let path) = content {
            guard let leaf = pairing.leafSource(of: path, in: entity),
                let column = oldUses.column(.leaf(leaf.path), of: source)
            else { return nil }
            return (table, column, leaf.conversion)
        }
        guard let before = pairing.source(of: content.property, in: entity)?.relationship else { return nil }
        let place: ColumnUses.Content =
            switch content {
            case .toOneEntity: .toOneEntity(before.name)
            case .order: .order(before.name)
            default: .toOne(before.name)
            }
        return oldUses.column(place, of: source).map { (table, $0, nil) }
    }
}

extension StoreSchema.Generation {
    fileprivate func replacingSource(_ column: String) -> Self {
        switch self {
        case .copy: .copy(column: column)
        case .canonical: .canonical(column: column)
        case .uppercase: .uppercase(column: column)
        case .lowercase: .lowercase(column: column)
        }
    }
}
