import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema
import PQClient

/// The two stores of a mapping, and the numbers of its entity mappings, for planning and running its passes.
struct MappingLayouts: Sendable {
    /// One entity mapping, by its number.
    struct Entry: Sendable {
        let index: Int
        let mapping: EntityMapping
        let source: EntityLayout?
        let destination: EntityLayout?
        /// A Boolean value that indicates whether objects keep their ids in this mapping.
        let keepsIDs: Bool
        /// A Boolean value that indicates whether an earlier mapping may have taken some of the ids.
        let followsOthers: Bool

        /// Returns a Boolean value that indicates whether the mapping can have source objects of an entity or
        /// its hierarchy.
        ///
        /// Keys of other hierarchies are meaningless for it.
        func takes(_ layout: EntityLayout) -> Bool { source?.root == layout.root }
    }

    let entries: [Entry]
    let source: StoreLayout
    let destination: StoreLayout
    let pairs: MappedPairs
    /// The entity that continues each source entity.
    let continuing: [String: String]
    private let hasPolicies: Bool
    private let numbers: [String: Int]

    init(_ mappingModel: MappingModel, source: StoreLayout, destination: StoreLayout, _ pairing: ModelPairing)
    {
        self.source = source
        self.destination = destination
        pairs = MappedPairs(table: AssociationTable.table(in: destination.schema.schemaName))
        let mappings = mappingModel.entityMappings
        var continuing: [String: String] = [:]
        for mapping in mappings {
            guard let from = mapping.sourceEntityName, let to = mapping.destinationEntityName,
                continuing[from] == nil
            else { continue }
            if let target = pairing.target(ofEntity: from) {
                continuing[from] = target
            } else if pairing.source(ofEntity: to) == nil {
                continuing[from] = to
            }
        }
        self.continuing = continuing
        var keeping: Set<String> = []
        entries = mappings.enumerated().map { index, mapping in
            let from = mapping.sourceEntityName
            let keepsIDs = from.map { continuing[$0] == mapping.destinationEntityName } ?? false
            return Entry(
                index: index, mapping: mapping,
                source: from.flatMap { source.layout(named: $0) },
                destination: mapping.destinationEntityName.flatMap { destination.layout(named: $0) },
                keepsIDs: keepsIDs,
                followsOthers: keepsIDs && !keeping.insert(from ?? "").inserted)
        }
        hasPolicies = mappings.contains { $0.entityMigrationPolicyClassName != nil }
        numbers = Dictionary(
            mappings.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func entry(named name: String) -> Entry? { numbers[name].map { entries[$0] } }

    /// Returns the mappings that create the destination objects which a call in an expression looks up.
    ///
    /// - Parameter sources: The entities of the source objects of the call.
    func makers(
        _ lookup: MappingExpression.Lookup, _ name: String, of entry: Entry,
        from sources: some Sequence<EntityLayout>
    ) -> [Entry] {
        entries(lookup, name, of: entry).filter { maker in
            // A mapping without source objects has pairs only if a policy associates objects.
            maker.source == nil ? hasPolicies : sources.contains { maker.takes($0) }
        }
    }

    private func entries(_ lookup: MappingExpression.Lookup, _ name: String, of entry: Entry) -> [Entry] {
        switch lookup {
        case .entityMapping: return self.entry(named: name).map { [$0] } ?? []
        case .sourceRelationship:
            guard let layout = entry.source, let link = relationships([name], from: layout)?.first
            else { return [] }
            let family = source.entities[link.relationship.destination].family
            return entries.filter { other in
                other.destination != nil && (other.source.map { family.contains($0.index) } ?? false)
            }
        }
    }

    /// Returns the relationships of a key path from a source entity, with their places in it; nil if it does
    /// not end with objects.
    ///
    /// Operators that keep members have no effect, because each pair is taken once.
    func relationships(_ keys: [String], from layout: EntityLayout) -> [(
        place: Int, relationship: RelationshipLayout
    )]? {
        var layout = layout
        var found: [(place: Int, relationship: RelationshipLayout)] = []
        for (place, key) in keys.enumerated() {
            if PredicateTree.KeyPathOperator(rawValue: key)?.keepsMembers == true { continue }
            guard let slot = layout.slotsByName[key], let link = layout.slots[slot].relationship
            else { return nil }
            found.append((place, link))
            layout = source.entities[link.destination]
        }
        return found
    }
}

extension PredicateTree.KeyPathOperator {
    /// A Boolean value that indicates whether the result is members, not a value computed from them.
    fileprivate var keepsMembers: Bool { self == .all || self == .distinct }
}
