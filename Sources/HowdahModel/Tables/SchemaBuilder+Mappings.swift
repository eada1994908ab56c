extension SchemaBuilder {
    func mapping(of entity: EntityDescription) -> EntityStorage {
        let properties = model.lineage(of: entity.name).reversed().flatMap { ancestor in
            ancestor.properties.compactMap { mapping(of: $0, in: ancestor) }
        }
        return EntityStorage(
            entityName: entity.name, storedName: entity.storedName, rootEntity: rootName(of: entity.name),
            table: tableName(of: entity.name), keyColumn: keyColumn(of: entity.name),
            versionColumn: versionColumn(of: entity.name),
            discriminator: model.isInHierarchy(entity.name) ? StoreSchema.entityColumn : nil,
            concreteStoredNames: model.concreteStoredNames(of: entity.name), properties: properties)
    }

    private func mapping(of property: PropertyDescription, in entity: EntityDescription) -> PropertyStorage? {
        switch property.kind {
        case .attribute(let attribute):
            let leaves = AttributeLeaf.leaves(of: attribute, column: "")
            return .attribute(
                AttributeMapping(
                    description: attribute,
                    columns: leaves.map { leaf in
                        ColumnRef(
                            name: columnName(leaf.identity(in: entity.name)), type: leaf.type,
                            path: leaf.path,
                            attributeType: leaf.description.type, isOptional: leaf.description.isOptional)
                    }))
        case .relationship(let relationship):
            if relationship.isTransient { return .transient(relationship) }
            let pair = pairs[PropertyKey(entity: entity.name, name: relationship.name)]
            return pair.map(mapping)
        }
    }

    private func mapping(of pair: RelationshipPair) -> PropertyStorage {
        switch pair.storage {
        case .ownColumn:
            return .toOne(
                ToOneMapping(
                    description: pair.relationship, column: columnName(pair.key.identity),
                    entityColumn: columnNames[pair.key.entityIdentity],
                    destinationTable: tableName(of: pair.relationship.destination)))
        case .inverseColumn:
            let key = pair.inverseKey ?? pair.key
            return .inverse(
                InverseMapping(
                    description: pair.relationship, table: tableName(of: pair.relationship.destination),
                    column: columnName(key.identity), entityColumn: columnNames[key.entityIdentity],
                    orderColumn: columnNames[key.orderIdentity], isToOne: !pair.relationship.isToMany))
        case .joinTable:
            let key = pair.leads ? pair.key : (pair.inverseKey ?? pair.key)
            let join = joins[key] ?? JoinTable(name: "")
            let destinationTable = tableName(of: pair.relationship.destination)
            if pair.leads {
                return .join(
                    JoinMapping(
                        description: pair.relationship, joinTable: join.name, ownColumn: join.own,
                        ownEntityColumn: join.ownEntity, otherColumn: join.other,
                        otherEntityColumn: join.otherEntity,
                        ownOrderColumn: join.ownOrder, otherOrderColumn: join.otherOrder,
                        destinationTable: destinationTable))
            }
            return .join(
                JoinMapping(
                    description: pair.relationship, joinTable: join.name, ownColumn: join.other,
                    ownEntityColumn: join.otherEntity, otherColumn: join.own,
                    otherEntityColumn: join.ownEntity,
                    ownOrderColumn: join.otherOrder, otherOrderColumn: join.ownOrder,
                    destinationTable: destinationTable))
        }
    }
}
