import Foundation
import HowdahModel
import PQClient

/// The runtime's data of one entity, for access at the speed of rows: the property and the columns of each
/// slot.
///
/// It is created once per store from the model and its mapping, then shared by all contexts.
package final class EntityLayout: Sendable {
    /// The entity's position in the store's list of layouts.
    package let index: Int
    /// The entity as the model describes it.
    let description: EntityDescription
    /// The entity's name in the model.
    package let name: String
    /// The name in `_entity` columns and in ids.
    package let storedName: String
    /// The position of the hierarchy's root entity; identity maps are per root.
    package let root: Int
    package let isAbstract: Bool
    /// The PostgreSQL schema of the store.
    let schemaName: String
    /// The quoted name of the table of tokens.
    let tokenTable: String
    /// The table of the hierarchy.
    package let table: StoredTable
    /// The quoted `_entity` column, in hierarchies only.
    package let discriminator: String?
    /// The stored names of this entity and all its descendants that have rows.
    package let concreteStoredNames: [String]
    /// The entity and its descendants, by position.
    package let family: [Int]
    let directory: EntityDirectory
    /// The properties, inherited first; a slot is an index into this list.
    package let slots: [Slot]
    /// The columns of the entity's own rows, in slot order.
    package let columns: [LayoutColumn]
    /// The derived attributes; nil if there are none.
    let derived: DerivedSlots?
    package let slotsByName: [String: Int]
    /// The names of the properties in the history, by slot. A renaming keeps them.
    package let storedNames: [String]
    package let relationshipSlots: [Int]
    /// The attributes whose values the history keeps of deleted objects.
    let preservedSlots: [Int]
    /// The to-ones with a place among the destination's members next to their foreign key.
    let placedSlots: [Int]
    /// The relationships that live in memory only.
    let transientSlots: [Int]
    /// The to-manys with a minimum or maximum count.
    let countedSlots: [Int]
    /// The way in which each slot's to-one is read from a row. Slots of other kinds have an entry that reads
    /// nothing.
    let toOneShapes: [ToOneShape]
    /// The initial values of new objects, by slot.
    let defaults: [(slot: Int, value: Value)]
    /// The composites that a row of another program's table may have in part; empty in tables that the store
    /// created.
    let looseComposites: [CompositeColumns]
    /// The columns that must have a value, with their attributes, without those of composites.
    let requiredColumns: [(column: Int, slot: Int)]
    /// The values of transient attributes in objects that were read, by slot.
    let transientDefaults: [(slot: Int, value: Value)]
    /// The properties whose values are fetched on access, inherited ones too.
    let fetchedProperties: [String: FetchedProperty]
    let storeIdentifier: UUID
    /// The columns that updates of this entity wrote recently.
    let recentlyWritten = WrittenColumnsCache()

    /// The position of a property.
    package struct Slot: Sendable {
        package let name: String
        package let kind: Kind
        /// The property's own columns, as positions in ``EntityLayout/columns``.
        package let columns: Range<Int>

        package enum Kind: Sendable {
            case attribute(AttributeLayout)
            case toOne(RelationshipLayout)
            case toMany(RelationshipLayout)
        }

        /// The former name of the property, if the model has it.
        var renamingIdentifier: String? {
            switch kind {
            case .attribute(let attribute): attribute.description.renamingIdentifier
            case .toOne(let relationship), .toMany(let relationship): relationship.renamingIdentifier
            }
        }

        /// The relationship, if the property is one.
        package var relationship: RelationshipLayout? {
            switch kind {
            case .attribute: nil
            case .toOne(let relationship), .toMany(let relationship): relationship
            }
        }
    }

    init(
        index: Int, entity: EntityDescription, mapping: EntityStorage, root: Int,
        schemaName: String, tokenTable: String, table: StoredTable, family: [Int], directory: EntityDirectory,
        slots: [Slot],
        columns: [LayoutColumn], fetchedProperties: [FetchedPropertyDescription],
        storeIdentifier: UUID
    ) {
        self.index = index
        self.description = entity
        self.name = entity.name
        self.storedName = mapping.storedName
        self.root = root
        self.isAbstract = entity.isAbstract
        self.schemaName = schemaName
        self.tokenTable = tokenTable
        self.table = table
        self.discriminator = mapping.discriminator.map(SQLIdentifier.quoted)
        self.concreteStoredNames = mapping.concreteStoredNames
        self.family = family
        self.directory = directory
        self.slots = slots
        self.columns = columns
        derived = DerivedSlots(slots)
        self.slotsByName = Dictionary(
            slots.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        storedNames = slots.map { ($0.renamingIdentifier ?? $0.name).precomposedStringWithCanonicalMapping }
        preservedSlots = slots.indices.filter { slot in
            guard case .attribute(let attribute) = slots[slot].kind, !slots[slot].columns.isEmpty else {
                return false
            }
            return attribute.description.preservesValueInHistoryOnDeletion
        }
        self.relationshipSlots = slots.indices.filter { slots[$0].relationship != nil }
        self.placedSlots = slots.indices.filter { slot in
            guard case .foreignKey(let columns) = slots[slot].relationship?.storage else { return false }
            return columns.orderColumn != nil
        }
        self.transientSlots = slots.indices.filter { slots[$0].relationship?.isTransient ?? false }
        self.countedSlots = slots.indices.filter { slots[$0].relationship?.isCounted ?? false }
        self.toOneShapes = slots.map { ToOneShape($0.relationship) }
        self.fetchedProperties = Dictionary(
            fetchedProperties.map { ($0.name, FetchedProperty($0)) }, uniquingKeysWith: { first, _ in first })
        self.storeIdentifier = storeIdentifier
        looseComposites =
            table.existing == nil
            ? []
            : slots.flatMap { property -> [CompositeColumns] in
                guard case .attribute(let attribute) = property.kind else { return [] }
                return CompositeColumns.all(in: attribute.description, from: property.columns.lowerBound)
            }
        requiredColumns = slots.enumerated().compactMap { slot, property in
            guard case .attribute(let attribute) = property.kind, !attribute.isOptional, !attribute.isDerived,
                attribute.type.composite == nil, property.columns.count == 1
            else { return nil }
            return (property.columns.lowerBound, slot)
        }
        transientDefaults = slots.enumerated().compactMap { slot, property in
            guard case .attribute(let attribute) = property.kind, attribute.isTransient else { return nil }
            return attribute.defaultValue.map { (slot, $0.normalized) }
        }
        self.defaults = slots.enumerated().compactMap { slot, property in
            guard case .attribute(let attribute) = property.kind else { return nil }
            return attribute.defaultValue.map { (slot, $0) }
        }
    }

    /// Returns the relationship in `slot`.
    package func relationship(_ slot: Int) -> RelationshipLayout {
        guard let relationship = slots[slot].relationship else {
            preconditionFailure(
                "\(name).\(slots[slot].name) is not a relationship. Generate the class again from its model.")
        }
        return relationship
    }

    /// Returns a Boolean value that indicates whether the entity has the relationship: its own, or an
    /// inherited one.
    func has(_ relationship: RelationshipLayout) -> Bool {
        slots.indices.contains(relationship.slot)
            && slots[relationship.slot].relationship?.isShared(with: relationship) ?? false
    }

    /// Returns the attribute in `slot`, or nil if it is a relationship.
    package func attribute(_ slot: Int) -> AttributeLayout? {
        if case .attribute(let attribute) = slots[slot].kind { attribute } else { nil }
    }
}
