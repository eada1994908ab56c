extension SchemaBuilder {
    /// A subentity's rule holds for its own rows only. A column of its own does that by being NULL in all others;
    /// without one the rule needs a filter.
    mutating func addUniques(of entity: EntityDescription, to table: inout StoreSchema.Table) {
        for constraint in entity.uniquenessConstraints {
            var columns: [String] = []
            var subjects: [String: StoreSchema.IndexElement.Subject] = [:]
            var hasOwnColumn = false
            for member in constraint {
                guard let found = model.declaration(of: member, in: entity.name) else { continue }
                let key = PropertyKey(entity: found.entity.name, name: member)
                if let pair = pairs[key], pair.storage != .ownColumn {
                    // A one-to-one column in the other table is unique there already.
                    if constraint.count == 1 { continue }
                    report(
                        .invalidUniqueness, entity.name, member,
                        "The relationship is stored in the table of \(pair.relationship.destination), so it "
                            + "cannot be unique together with other properties. Remove the relationship "
                            + "from the uniqueness constraint.")
                    continue
                }
                if found.entity.name == entity.name { hasOwnColumn = true }
                let own = uniqueColumns(of: found.property, key: key)
                columns += own
                for column in own where table.column(column)?.isCaseInsensitive ?? false {
                    subjects[column] = .folded(column)
                }
                if let attribute = found.property.attribute, attribute.isUniqueByDigest,
                    let type = attribute.columnType
                {
                    subjects[own[0]] = .digest(own[0], type: type, isFolded: attribute.isCaseInsensitive)
                }
            }
            guard !columns.isEmpty else { continue }
            let origin = StoreSchema.Origin(entity.name, constraint)
            let elements = columns.map { column in
                StoreSchema.IndexElement(subjects[column] ?? .column(column))
            }
            var special = subjects.isEmpty ? nil : elements
            // A constraint has NULL where no sort wants it; a unique index has the order of sorts.
            if special == nil, table.column(columns[0])?.isNullable ?? false,
                constraint.first.flatMap({ model.property(named: $0, of: entity.name) })?.attribute != nil
            {
                special = columns.map { StoreSchema.IndexElement(.column($0), ascending: true) }
            }
            if entity.superentity == nil || hasOwnColumn {
                table.addUnique(on: columns, elements: special, origin)
            } else {
                let names = model.concreteStoredNames(of: entity.name)
                table.addUnique(
                    on: columns, elements: special,
                    filter: .isOneOf(column: StoreSchema.entityColumn, names),
                    prefix: entity.name.snakeCased, origin)
            }
        }
    }

    private func uniqueColumns(of property: PropertyDescription, key: PropertyKey) -> [String] {
        guard let attribute = property.attribute else { return [columnName(key.identity)] }
        return AttributeLeaf.leaves(of: attribute, column: "").map { columnName($0.identity(in: key.entity)) }
    }
}
