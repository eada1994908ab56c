import Howdah

/// The entities of the random sequences' model.
enum WildKind: String, CaseIterable {
    case item = "Item"
    case leaf = "Leaf"
    case box = "Box"
    case seal = "Seal"

    /// Whether objects of this kind are of that one too.
    func isKind(of other: WildKind) -> Bool { self == other || self == .leaf && other == .item }

    /// The places of the relationships that objects of this kind have.
    var relations: [Int] { Self.relations[self] ?? [] }

    private static let relations = Dictionary(
        uniqueKeysWithValues: allCases.map { kind in
            (kind, WildRelation.all.indices.filter { kind.isKind(of: WildRelation.all[$0].owner) })
        })

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: allCases.map { kind in
                let values: [PropertyDescription] = [
                    .attribute("number", .integer64, optional: false),
                    .attribute("value", .integer64, default: 0), .attribute("note", .string),
                ]
                let relations = WildRelation.all.filter { $0.owner == kind }.map(\.property)
                return EntityDescription(
                    kind.rawValue, superentity: kind == .leaf ? "Item" : nil,
                    properties: (kind == .leaf ? [] : values) + relations)
            })
    }
}
