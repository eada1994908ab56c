extension SchemaBuilder {
    /// PostgreSQL gives every table columns of these names.
    static let systemColumns: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]

    static let reservedColumns = systemColumns.union([
        StoreSchema.idColumn, StoreSchema.versionColumn, StoreSchema.entityColumn,
    ])

    mutating func addTable(of root: EntityDescription) {
        let members = model.descendants(of: root.name)
        nameColumns(of: members)
        let name = tableName(of: root.name)
        let key = keyColumn(of: root.name)
        let version = versionColumn(of: root.name).map { StoreSchema.Column($0, .int8, default: .int(1)) }
        var table = StoreSchema.Table(
            name: name,
            columns: [
                StoreSchema.Column(key, .int8, isIDSequenceDefault: true), version,
            ].compactMap { $0 },
            primaryKey: [key], primaryKeyName: name + "_pkey", foreignKeys: [], checks: [],
            uniques: [], indexes: [])
        if model.isInHierarchy(root.name) {
            table.columns.append(StoreSchema.Column(StoreSchema.entityColumn, .text))
            table.addCheck(
                StoreSchema.entityColumn,
                .isOneOf(column: StoreSchema.entityColumn, model.concreteStoredNames(of: root.name)),
                StoreSchema.Origin(root.name))
        }
        for member in members {
            for property in member.properties {
                switch property.kind {
                case .attribute(let attribute): addColumns(of: attribute, in: member, to: &table)
                case .relationship(let relationship):
                    let key = PropertyKey(entity: member.name, name: relationship.name)
                    if let pair = pairs[key], pair.storage == .ownColumn { addColumns(of: pair, to: &table) }
                }
            }
        }
        for member in members { addUniques(of: member, to: &table) }
        addFetchIndexes(of: members, to: &table)
        if table.columns.count > StoreSchema.Table.maximumColumns {
            report(
                .tooManyColumns, root.name, nil,
                "The table of this entity and its subentities would have \(table.columns.count) columns. The "
                    + "maximum is \(StoreSchema.Table.maximumColumns). Move properties to a separate entity.")
        }
        tables.append(table)
    }

    /// The plain name in a root entity, else with the entity in front: siblings use one name for different things,
    /// and a new sibling must rename nothing.
    func wantedColumn(_ name: String, in entity: EntityDescription, _ userInfo: [String: String]) -> String {
        if let given = userInfo[MappingKey.column] { return given }
        return entity.superentity == nil ? name.snakeCased : entity.name.snakeCased + "_" + name.snakeCased
    }

    private mutating func nameColumns(of members: [EntityDescription]) {
        guard let root = members.first?.name else { return }
        let own = [keyColumn(of: root), versionColumn(of: root), StoreSchema.entityColumn].compactMap { $0 }
        var scope = NameScope(taken: Self.systemColumns.union(own))
        var given: [(identity: String, name: String, key: PropertyKey)] = []
        for entity in members {
            let isRoot = entity.superentity == nil
            let declared = isRoot ? NameScope.Rank.declared : .declaredBelow
            let derived = isRoot ? NameScope.Rank.derived : .derivedBelow
            for property in entity.properties {
                let key = PropertyKey(entity: entity.name, name: property.name)
                let wanted = wantedColumn(property.name, in: entity, property.userInfo)
                let isGiven = property.userInfo[MappingKey.column] != nil
                switch property.kind {
                case .attribute(let attribute):
                    for leaf in AttributeLeaf.leaves(of: attribute, column: wanted) {
                        let identity = leaf.identity(in: entity.name)
                        if !isGiven { checkIsNoOwnColumn(leaf.wantedName, of: root, key) }
                        if isGiven, leaf.path.count == 1 { given.append((identity, wanted, key)) }
                        scope.request(leaf.wantedName, for: identity, rank: isGiven ? .given : declared)
                    }
                case .relationship:
                    guard let pair = pairs[key], pair.storage == .ownColumn else { continue }
                    if isGiven { given.append((key.identity, wanted, key)) }
                    if !isGiven { checkIsNoOwnColumn(wanted, of: root, key) }
                    scope.request(wanted, for: key.identity, rank: isGiven ? .given : declared)
                    if model.isInHierarchy(pair.relationship.destination) {
                        scope.request(wanted + "_entity", for: key.entityIdentity, rank: derived)
                    }
                    if pair.isOrderedByInverse {
                        scope.request(wanted + "_order", for: key.orderIdentity, rank: derived)
                    }
                }
            }
        }
        let names = scope.resolve()
        for item in given where names[item.identity] != item.name {
            reportUnusable(item.name, key: MappingKey.column, item.key.entity, item.key.name)
        }
        columnNames.merge(names) { _, new in new }
    }
}

extension StoreSchema.Table {
    mutating func addCheck(_ suffix: String, _ condition: StoreSchema.Condition, _ origin: StoreSchema.Origin)
    {
        checks.append(
            StoreSchema.Check(name: "\(name)_\(suffix)_check", condition: condition, origin: origin))
    }

    mutating func addIndex(on columns: [String], _ origin: StoreSchema.Origin) {
        let wanted = ([name] + columns + ["idx"]).joined(separator: "_")
        indexes.append(
            StoreSchema.Index(
                name: wanted, elements: columns.map { StoreSchema.IndexElement(.column($0)) }, method: .btree,
                filter: nil, origin: origin))
    }

    mutating func addUnique(
        on columns: [String], elements: [StoreSchema.IndexElement]? = nil,
        filter: StoreSchema.Condition? = nil, prefix: String? = nil, _ origin: StoreSchema.Origin
    ) {
        guard !uniques.contains(where: { $0.columns == columns && $0.filter == filter }) else { return }
        let wanted = ([name, prefix].compactMap { $0 } + columns + ["key"]).joined(separator: "_")
        uniques.append(
            StoreSchema.Unique(
                name: wanted, columns: columns, filter: filter, elements: elements, origin: origin))
        for case .digest(let name, _, _) in (elements ?? []).map(\.subject) {
            guard let place = self.columns.firstIndex(where: { $0.name == name }) else { continue }
            self.columns[place].hasDigestIndex = true
        }
    }
}
