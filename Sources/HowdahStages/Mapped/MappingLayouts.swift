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
    /// The table of associations, quoted.
    let associations: String
    /// The entity that continues each source entity.
    let continuing: [String: String]
    private let numbers: [String: Int]

    init(_ mappingModel: MappingModel, source: StoreLayout, destination: StoreLayout, _ pairing: ModelPairing)
    {
        self.source = source
        self.destination = destination
        associations = AssociationTable.table(in: destination.schema.schemaName)
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
        numbers = Dictionary(
            mappings.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the recorded pairs of some entity mappings, as a FROM item.
    func pairs(_ entries: [Entry]) -> String {
        let numbers = entries.map { "\($0.index)" }.joined(separator: ", ")
        return "(SELECT \(AssociationTable.source), \(AssociationTable.destination) FROM \(associations) "
            + "WHERE \(AssociationTable.mapping) IN (\(numbers)))"
    }

    func entry(named name: String) -> Entry? { numbers[name].map { entries[$0] } }

    /// Returns the mappings whose destination objects a call of an expression needs.
    func entries(_ lookup: MappingExpression.Lookup, _ name: String, of entry: Entry) -> [Entry] {
        switch lookup {
        case .entityMapping: return self.entry(named: name).map { [$0] } ?? []
        case .sourceRelationship:
            guard let layout = entry.source, let slot = layout.slotsByName[name],
                let relationship = layout.slots[slot].relationship
            else { return [] }
            let family = source.entities[relationship.destination].family
            return entries.filter { other in
                other.destination != nil && (other.source.map { family.contains($0.index) } ?? false)
            }
        }
    }
}
