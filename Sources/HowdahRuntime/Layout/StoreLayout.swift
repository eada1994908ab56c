package import Foundation
package import HowdahModel
import PQClient

/// The layouts of all entities of one store, by position, name and stored name.
package final class StoreLayout: Sendable {
    /// The model that is laid out.
    let model: ManagedObjectModel
    package let entities: [EntityLayout]
    package let schema: StoreSchema
    /// The quoted, schema-qualified sequence of keys; nil if tables have their own.
    package let sequence: String?
    /// A Boolean value that indicates whether there are tables that cannot be written, or not be inserted
    /// into.
    let hasReadOnly: Bool
    /// A Boolean value that indicates whether any attribute is derived, so that saves have more to do.
    let hasDerived: Bool
    /// A Boolean value that indicates whether a change of an object's attributes concerns no other row, and needs
    /// no look at the tables.
    var hasSoleUpdates: Bool { !hasReadOnly && !hasDerived && !hasCounts }
    /// A Boolean value that indicates whether any attribute keeps the time of the save.
    let hasMoments: Bool
    /// The derived attributes that depend on other rows.
    let derivedGroups: [DerivedGroup]
    private let directory: EntityDirectory
    private let selections: [SelectList]
    private let identitySelections: [SelectList]
    /// A Boolean value that indicates whether any to-many of the model is ordered or bounded.
    ///
    /// Most models have none, and saves then search for none.
    let hasKeptLists: Bool
    /// A Boolean value that indicates whether any of them is bounded, or any required to-one is in the
    /// destination's row.
    let hasCounts: Bool
    /// The required to-ones whose column is in the destination's row.
    let requiredToOnes: [CountedRelationship]
    /// The to-manys with bounds.
    let counted: [CountedRelationship]
    /// The to-manys with a minimum.
    let minimums: [CountedRelationship]
    /// A Boolean value that indicates whether there are triggers for delete rules, which a save must hold
    /// off.
    let hasDeleteTriggers: Bool
    /// The natural keys of the entities.
    package let naturalKeys: NaturalKeys
    private let oneWayReferences: [Int: [OneWayReference]]
    /// The stored relationships without an inverse that deletions of their destinations clear, at their
    /// declarations.
    let oneWaySlots: [(entity: Int, slot: Int)]

    /// Lays out a model's entities.
    package init(
        model: ManagedObjectModel, schema: StoreSchema, storeIdentifier: UUID,
        transformers: [AttributeTransformer] = []
    ) throws {
        let builder = LayoutBuilder(
            model: model, schema: schema, storeIdentifier: storeIdentifier, transformers: transformers)
        self.model = model
        entities = try builder.layouts()
        self.schema = schema
        let isExisting = entities.contains { $0.table.existing != nil }
        sequence = isExisting ? nil : SQLIdentifier.quoted(schema.schemaName, schema.idSequence)
        hasReadOnly = isExisting && entities.contains { !$0.table.isWritable }
        directory = builder.directory
        let entities = entities
        hasDerived = entities.contains { $0.derived != nil }
        hasMoments = entities.contains { $0.derived?.moments.isEmpty == false }
        derivedGroups = hasDerived ? DerivedGroup.all(entities, model, schema) : []
        hasDeleteTriggers =
            !isExisting && schema.tables.contains { $0.triggers.contains(where: \.duty.isDeleteRule) }
        oneWayReferences = OneWayReference.all(in: entities)
        oneWaySlots = entities.flatMap { layout in
            layout.relationshipSlots.compactMap { slot in
                let relationship = layout.relationship(slot)
                guard relationship.inverse == nil, layout.declares(slot, in: entities) else { return nil }
                return switch relationship.storage {
                case .join: (layout.index, slot)
                case .foreignKey: relationship.deleteRule == .noAction ? nil : (layout.index, slot)
                case .inverse, .memory: nil
                }
            }
        }
        naturalKeys = NaturalKeys(entities, schema)
        requiredToOnes = CountedRelationship.requiredToOnes(in: entities)
        hasCounts = !requiredToOnes.isEmpty || entities.contains { !$0.countedSlots.isEmpty }
        let counted = CountedRelationship.all(in: entities)
        self.counted = counted
        minimums = counted.filter { entities[$0.entity].relationship($0.slot).minCount > 0 }
        hasKeptLists = entities.contains { layout in
            layout.relationshipSlots.contains { layout.relationship($0).isKeptByOwner }
        }
        selections = entities.map { SelectList($0, in: entities) }
        identitySelections = entities.map { SelectList($0, in: entities, identitiesOnly: true) }
    }

    /// Returns the foreign keys to rows of an entity from relationships without an inverse.
    func oneWayReferences(to layout: EntityLayout) -> [OneWayReference] {
        oneWayReferences[layout.index] ?? []
    }

    /// Returns the derived attributes that may depend on the rows of a DELETE of an entity, cascades
    /// included.
    ///
    /// The cascades are those of foreign keys and triggers.
    func derivedGroups(deleting layout: EntityLayout) -> [DerivedGroup] {
        if derivedGroups.isEmpty { return [] }
        guard let table = schema.entities[layout.name]?.table else { return derivedGroups }
        let gone = tables(gone: [table])
        return derivedGroups.filter { group in
            group.places.dropFirst().contains { place in
                schema.entities[place.name].map { gone.contains($0.table) } ?? true
            }
        }
    }

    /// Returns the tables whose rows triggers delete after rows of other tables were deleted.
    func tables(followedFrom gone: Set<String>) -> Set<String> {
        Set(
            schema.tables.filter { gone.contains($0.name) }.flatMap {
                $0.triggers.compactMap(\.duty.deletedTable)
            })
    }

    /// Returns the tables that may lose rows if rows of some tables are deleted, including these.
    func tables(gone: Set<String>) -> Set<String> {
        var gone = gone
        while true {
            let followed = tables(followedFrom: gone)
            let more = schema.tables.filter { table in
                if gone.contains(table.name) { return false }
                return followed.contains(table.name)
                    || table.foreignKeys.contains {
                        $0.onDelete == .cascade && gone.contains($0.referencedTable)
                    }
            }
            if more.isEmpty { return gone }
            gone.formUnion(more.map(\.name))
        }
    }

    /// Returns true if deleting an object of the entity may concern other rows, by a rule, a reference or a
    /// link.
    func deletionReachesOthers(_ layout: EntityLayout) -> Bool {
        if !oneWayReferences(to: layout).isEmpty { return true }
        return layout.relationshipSlots.map(layout.relationship).contains { relationship in
            if relationship.isTransient {
                return relationship.deleteRule == .cascade || relationship.deleteRule == .deny
            }
            // A to-one that is its own inverse is the other row's foreign key too.
            guard case .foreignKey = relationship.storage, !relationship.isSelfInverse else { return true }
            return relationship.deleteRule == .cascade || relationship.deleteRule == .deny
        }
    }

    package var names: String { entities.map(\.name).sorted().joined(separator: ", ") }

    package func layout(named name: String) -> EntityLayout? {
        directory.index(ofEntity: name).map { entities[$0] }
    }

    /// Returns the layout of a named entity.
    ///
    /// - Throws: ``FetchError`` with ``FetchError/Code/unknownEntity`` and the nearest name.
    func required(_ name: String) throws(FetchError) -> EntityLayout {
        if let layout = layout(named: name) { return layout }
        if let current = layout(storedName: name) {
            throw FetchError(
                .unknownEntity,
                "The model has no entity '\(name)'. Use its new name '\(current.name)'.")
        }
        let hint =
            NearestName.of(name, among: entities.map(\.name)).map { ". Did you mean '\($0)'?" }
            ?? ". Correct the name."
        throw FetchError(.unknownEntity, "The model has no entity '\(name)'\(hint)")
    }

    func layout(storedName name: String) -> EntityLayout? {
        directory.index(ofStoredName: name).map { entities[$0] }
    }

    /// Returns the stored names of all entities whose objects have their keys in common with those of an entity.
    func hierarchy(ofStoredName name: String) -> [String] {
        guard let layout = layout(storedName: name) else { return [name] }
        return entities[layout.root].family.map { entities[$0].storedName }
    }

    /// Returns the select list of an entity and its descendants.
    package func selection(of layout: EntityLayout) -> SelectList { selections[layout.index] }

    /// Returns the select list of an entity and its descendants without any values.
    func identities(of layout: EntityLayout) -> SelectList { identitySelections[layout.index] }
}
