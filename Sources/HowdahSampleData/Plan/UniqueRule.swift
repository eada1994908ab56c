import HowdahModel

/// A uniqueness constraint: which properties of which entities' objects differ together.
struct UniqueRule {
    /// The entity that declares it.
    let entity: String
    let attributes: [String]
    /// To-ones, as the place of their links and the side they stand on.
    let toOnes: [(links: Int, side: Int)]
    let members: [String]
    /// The entities whose objects it holds for.
    let scope: Set<String>

    static func all(in model: ManagedObjectModel, _ shapes: [RelationshipSides]) -> [UniqueRule] {
        model.entities.sorted { $0.name < $1.name }.flatMap { entity in
            entity.uniquenessConstraints.map { UniqueRule($0, entity, model, shapes) }
        }
    }

    private init(
        _ members: [String], _ entity: EntityDescription, _ model: ManagedObjectModel,
        _ shapes: [RelationshipSides]
    ) {
        self.entity = entity.name
        self.members = members
        scope = Set(model.descendants(of: entity.name).map(\.name))
        attributes = members.filter { model.property(named: $0, of: entity.name)?.attribute != nil }
        toOnes = members.compactMap { name in
            guard let found = model.declaration(of: name, in: entity.name) else { return nil }
            for (place, shape) in shapes.enumerated() {
                for (side, description) in shape.sides.enumerated()
                where description.entity == found.entity.name && description.relationship?.name == name {
                    return (place, side)
                }
            }
            return nil
        }
    }

    /// What is said of objects that there are too few different values for.
    var reason: String {
        "(\(members.joined(separator: ", "))) is unique in \(entity) and no unused values are left"
    }
}
