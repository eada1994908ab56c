extension SchemaBuilder {
    /// Columns of subentities have no default: rows of other entities would get it too.
    mutating func addColumns(
        of attribute: AttributeDescription, in entity: EntityDescription, to table: inout StoreSchema.Table
    ) {
        let isRoot = entity.superentity == nil
        let leaves = AttributeLeaf.leaves(
            of: attribute, column: wantedColumn(attribute.name, in: entity, attribute.userInfo))
        var required: [String] = []
        for leaf in leaves {
            let name = columnName(leaf.identity(in: entity.name))
            let origin = StoreSchema.Origin(entity.name, [leaf.path.joined(separator: ".")])
            table.columns.append(
                StoreSchema.Column(
                    name, leaf.type, nullable: !(leaf.isRequired && isRoot),
                    default: isRoot ? leaf.defaultValue ?? attribute.emptyAggregate : nil,
                    isCaseInsensitive: leaf.description.isCaseInsensitive,
                    generation: generation(of: attribute, in: entity)))
            if leaf.isRequired { required.append(name) }
            addRules(of: leaf.description, column: name, origin, to: &table)
        }
        let origin = StoreSchema.Origin(entity.name, [attribute.name])
        if !isRoot { addRequirement(required, of: entity, origin, to: &table) }
        addCompletenessRules(of: attribute, path: [attribute.name], in: entity, to: &table)
    }

    mutating func addColumns(of pair: RelationshipPair, to table: inout StoreSchema.Table) {
        guard let entity = model[pair.key.entity] else { return }
        let origin = StoreSchema.Origin(pair.key.entity, [pair.key.name])
        let isRequired = !pair.relationship.isOptional
        let isNullable = !isRequired || entity.superentity != nil
        let column = columnName(pair.key.identity)
        table.columns.append(StoreSchema.Column(column, .int8, nullable: isNullable))
        var columns = [column]
        if let entityColumn = columnNames[pair.key.entityIdentity] {
            table.columns.append(StoreSchema.Column(entityColumn, .text, nullable: isNullable))
            columns.append(entityColumn)
            if isNullable { table.addCheck("\(column)_pair", .allOrNone(columns), origin) }
            table.addCheck(
                entityColumn,
                .isOneOf(
                    column: entityColumn, model.concreteStoredNames(of: pair.relationship.destination)),
                origin)
        }
        if isRequired, entity.superentity != nil { addRequirement([column], of: entity, origin, to: &table) }
        if let action = pair.ownColumnAction {
            addForeignKey(columns, to: pair.relationship.destination, action, origin, in: &table)
        }
        if pair.isOneToOne {
            table.addUnique(on: [column], origin)
        } else if let orderColumn = columnNames[pair.key.orderIdentity] {
            table.columns.append(StoreSchema.Column(orderColumn, .int8, nullable: true))
            table.addIndex(on: [column, orderColumn], origin)
        } else {
            table.addIndex(on: [column], origin)
        }
    }

    mutating func addForeignKey(
        _ columns: [String], to destination: String, _ action: StoreSchema.ForeignKey.Action,
        _ origin: StoreSchema.Origin, in table: inout StoreSchema.Table
    ) {
        var referenced = [keyColumn(of: destination)]
        if columns.count > 1 {
            referenced.append(StoreSchema.entityColumn)
            rootsReferredToWithEntity.insert(rootName(of: destination))
        }
        table.foreignKeys.append(
            StoreSchema.ForeignKey(
                name: "\(table.name)_\(columns[0])_fkey", columns: columns,
                referencedTable: tableName(of: destination),
                referencedColumns: referenced, onDelete: action, origin: origin))
    }

    /// A foreign key over key and entity needs a unique pair to refer to.
    mutating func addReferenceTargets() {
        let places = Dictionary(
            tables.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        for root in rootsReferredToWithEntity.sorted() {
            guard let index = places[tableName(of: root)] else { continue }
            tables[index].addUnique(
                on: [keyColumn(of: root), StoreSchema.entityColumn], StoreSchema.Origin(root))
        }
    }

    /// In a shared table NOT NULL would hold for the other entities too.
    private func addRequirement(
        _ columns: [String], of entity: EntityDescription, _ origin: StoreSchema.Origin,
        to table: inout StoreSchema.Table
    ) {
        let names = model.concreteStoredNames(of: entity.name)
        guard !columns.isEmpty, !names.isEmpty else { return }
        let isOther = StoreSchema.Condition.not(.isOneOf(column: StoreSchema.entityColumn, names))
        table.addCheck(
            "\(columns[0])_required", .or([isOther] + [.conjunction(columns.map { .isNotNull(column: $0) })]),
            origin)
    }

    private func addRules(
        of attribute: AttributeDescription, column: String, _ origin: StoreSchema.Origin,
        to table: inout StoreSchema.Table
    ) {
        let range: [StoreSchema.Condition] = [
            attribute.minimum.map { .isAtLeast(column: column, $0) },
            attribute.maximum.map { .isAtMost(column: column, $0) },
        ].compactMap { $0 }
        if !range.isEmpty { table.addCheck("\(column)_range", .conjunction(range), origin) }
        let length: [StoreSchema.Condition] = [
            attribute.minimumLength.map { .isLongerOrEqual(column: column, ($0 + 1) / 2) },
            attribute.maximumLength.map { .isShorterOrEqual(column: column, $0) },
        ].compactMap { $0 }
        if attribute.type.element != nil {
            table.addCheck("\(column)_elements", .isPlainArray(column: column), origin)
        }
        if !length.isEmpty { table.addCheck("\(column)_length", .conjunction(length), origin) }
        if !attribute.allowedValues.isEmpty {
            let values = attribute.allowedValues.map(\.normalized)
            table.addCheck("\(column)_allowed", .isIn(column: column, values), origin)
        }
        // A pattern outside of the subset is checked in memory; one that is none was refused with the model.
        if let regex = attribute.regex, let text = (try? ValidationPattern(regex))?.sharedText {
            table.addCheck("\(column)_pattern", .matches(column: column, text), origin)
        }
    }

    /// For each optional composite on the way down: where any of its columns has a value, the required ones do.
    private func addCompletenessRules(
        of attribute: AttributeDescription, path: [String], in entity: EntityDescription,
        to table: inout StoreSchema.Table
    ) {
        guard attribute.isStored, let composite = attribute.type.composite else { return }
        if attribute.isOptional {
            let all = columns(of: attribute, path: path, in: entity, onlyRequired: false)
            let required = columns(of: attribute, path: path, in: entity, onlyRequired: true)
            let origin = StoreSchema.Origin(entity.name, [path.joined(separator: ".")])
            let name = ([entity.superentity == nil ? nil : entity.name] + path).compactMap { $0?.snakeCased }
            if !required.isEmpty, all.count > 1 {
                table.addCheck(
                    name.joined(separator: "_") + "_complete",
                    required == all
                        ? .allOrNone(all)
                        : .or([.allNull(all), .conjunction(required.map { .isNotNull(column: $0) })]),
                    origin)
            }
        }
        for element in composite.elements {
            addCompletenessRules(of: element, path: path + [element.name], in: entity, to: &table)
        }
    }

    /// The columns below a composite; the required ones are those that a value of it always has.
    private func columns(
        of attribute: AttributeDescription, path: [String], in entity: EntityDescription, onlyRequired: Bool
    ) -> [String] {
        (attribute.type.composite?.elements ?? []).flatMap { element -> [String] in
            guard element.isStored, !(onlyRequired && element.isOptional) else { return [] }
            let elementPath = path + [element.name]
            if element.type.composite != nil {
                return columns(of: element, path: elementPath, in: entity, onlyRequired: onlyRequired)
            }
            return [columnName(([entity.name] + elementPath).joined(separator: PropertyKey.separator))]
        }
    }
}

extension StoreSchema.Condition {
    static func conjunction(_ conditions: [Self]) -> Self {
        conditions.count == 1 ? conditions[0] : .and(conditions)
    }
}
