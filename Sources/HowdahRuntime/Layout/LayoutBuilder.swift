import Foundation
import HowdahModel
import HowdahSchema
import PQClient

/// Converts a model and its mapping to layouts.
struct LayoutBuilder {
    let model: ManagedObjectModel
    let schema: StoreSchema
    let storeIdentifier: UUID
    let directory: EntityDirectory
    private let transformers: [String: AttributeTransformer]
    private let names: [String]

    init(
        model: ManagedObjectModel, schema: StoreSchema, storeIdentifier: UUID,
        transformers: [AttributeTransformer]
    ) {
        self.transformers = Dictionary(
            transformers.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
        self.model = model
        self.schema = schema
        self.storeIdentifier = storeIdentifier
        names = model.entities.map(\.name).sorted()
        directory = EntityDirectory(
            names: names.compactMap { name in model[name].map { (name, $0.storedName) } })
    }

    func layouts() throws -> [EntityLayout] {
        try names.enumerated().map { index, name in
            guard let entity = model[name], let mapping = schema.entities[name] else {
                throw StoreError(
                    .invalidModel,
                    "Howdah computed no table for the entity \(name) of the "
                        + "model. Report this as an error in Howdah, with the model.")
            }
            return try layout(index, entity, mapping)
        }
    }

    private func layout(
        _ index: Int, _ entity: EntityDescription, _ mapping: EntityStorage
    ) throws -> EntityLayout {
        var columns: [LayoutColumn] = []
        let slots = try mapping.properties.enumerated().map { slot, property in
            let start = columns.count
            let kind = try kind(of: property, slot: slot, in: mapping, columns: &columns)
            return EntityLayout.Slot(name: property.name, kind: kind, columns: start..<columns.count)
        }
        return EntityLayout(
            index: index, entity: entity, mapping: mapping,
            root: place(mapping.rootEntity), schemaName: schema.schemaName,
            tokenTable: SaveTokenTable.table(of: schema), table: StoredTable(mapping, in: schema),
            family: model.descendants(of: entity.name).map { place($0.name) }, directory: directory,
            slots: slots, columns: columns,
            fetchedProperties: model.lineage(of: entity.name).flatMap(\.fetchedProperties),
            storeIdentifier: storeIdentifier)
    }

    private func kind(
        of property: PropertyStorage, slot: Int, in mapping: EntityStorage, columns: inout [LayoutColumn]
    ) throws -> EntityLayout.Slot.Kind {
        let table = schema.table(named: mapping.table)
        switch property {
        case .attribute(let attribute):
            columns += attribute.columns.map { LayoutColumn($0.name, $0.type, in: table) }
            return .attribute(AttributeLayout(attribute.description, transformers: transformers))
        case .toOne(let toOne):
            let foreignKey = ForeignKeyColumns(
                table: StoredTable(mapping, in: schema),
                column: SQLIdentifier.quoted(toOne.column),
                entityColumn: toOne.entityColumn.map(SQLIdentifier.quoted),
                orderColumn: orderColumn(ofInverse: toOne.description).map(SQLIdentifier.quoted))
            columns.append(LayoutColumn(toOne.column, .int8, in: table))
            if let entityColumn = toOne.entityColumn {
                columns.append(LayoutColumn(entityColumn, .text, in: table))
            }
            return .toOne(relationship(toOne.description, slot, mapping, .foreignKey(foreignKey)))
        case .inverse(let inverse):
            guard let destination = schema.entities[inverse.description.destination] else {
                throw StoreError(
                    .invalidModel,
                    "Howdah computed no table for the entity \(inverse.description.destination) of the "
                        + "model. Report this as an error in Howdah, with the model.")
            }
            let foreignKey = ForeignKeyColumns(
                table: StoredTable(destination, in: schema),
                column: SQLIdentifier.quoted(inverse.column),
                entityColumn: inverse.entityColumn.map(SQLIdentifier.quoted),
                orderColumn: inverse.orderColumn.map(SQLIdentifier.quoted))
            let layout = relationship(inverse.description, slot, mapping, .inverse(foreignKey))
            return inverse.isToOne ? .toOne(layout) : .toMany(layout)
        case .join(let join):
            let columns = JoinColumns(
                subject: StatementTable(SQLIdentifier.quoted(schema.schemaName, join.joinTable)),
                ownColumn: SQLIdentifier.quoted(join.ownColumn),
                ownEntityColumn: join.ownEntityColumn.map(SQLIdentifier.quoted),
                otherColumn: SQLIdentifier.quoted(join.otherColumn),
                otherEntityColumn: join.otherEntityColumn.map(SQLIdentifier.quoted),
                orderColumn: join.ownOrderColumn.map(SQLIdentifier.quoted),
                otherOrderColumn: join.otherOrderColumn.map(SQLIdentifier.quoted),
                isPrimarySide: join.description.inverse == nil || join.ownColumn < join.otherColumn)
            return .toMany(relationship(join.description, slot, mapping, .join(columns)))
        case .transient(let description):
            let layout = relationship(description, slot, mapping, .memory)
            return description.isToMany ? .toMany(layout) : .toOne(layout)
        }
    }

    private func relationship(
        _ description: RelationshipDescription, _ slot: Int, _ mapping: EntityStorage,
        _ storage: RelationshipLayout.Storage
    ) -> RelationshipLayout {
        // What is stored and what is not cannot keep each other right: each is then one-way.
        let inverse = description.inverse.flatMap {
            schema.entities[description.destination]?.property(named: $0)
        }
        .flatMap { $0.mapping.relationship?.isTransient == description.isTransient ? $0 : nil }
        return RelationshipLayout(
            description, slot: slot, destination: place(description.destination), inverse: inverse?.slot,
            inverseIsToMany: inverse?.mapping.relationship?.isToMany ?? false,
            inverseIsOrdered: inverse?.mapping.relationship?.isOrdered ?? false,
            isSelfInverse: isSelfInverse(description, in: mapping.entityName), storage: storage)
    }

    /// Returns the column of the order among the inverse's members, which is next to the foreign key.
    private func orderColumn(ofInverse toOne: RelationshipDescription) -> String? {
        let inverse = toOne.inverse.flatMap { schema.entities[toOne.destination]?.property(named: $0) }
        guard case .inverse(let mapping) = inverse?.mapping else { return nil }
        return mapping.orderColumn
    }

    private func isSelfInverse(_ relationship: RelationshipDescription, in entity: String) -> Bool {
        guard relationship.inverse == relationship.name else { return false }
        let own = model.declaration(of: relationship.name, in: entity)?.entity.name
        return own != nil
            && own == model.declaration(of: relationship.name, in: relationship.destination)?.entity.name
    }

    private func place(_ name: String) -> Int { directory.index(ofEntity: name) ?? 0 }
}
