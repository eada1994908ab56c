import HowdahModel

/// A relationship and its inverse, as the two sides of a set of links. Where one side is a to-one, it is the first.
struct RelationshipSides {
    struct Side {
        /// The entity that declares the relationship, and the name; nil where there is no inverse.
        let entity: String
        let relationship: RelationshipDescription?
        /// The concrete entities whose objects stand on this side.
        let members: Set<String>
        /// How many links each object must have.
        let least: Int
        /// How many each should have, where there are enough objects.
        let wish: Int
        /// How many each may have.
        var most: Int

        init(_ entity: String, _ relationship: RelationshipDescription?, _ members: Set<String>) {
            self.entity = entity
            self.relationship = relationship
            self.members = members
            guard let relationship else {
                (least, wish, most) = (0, 0, .max)
                return
            }
            if relationship.isToMany {
                least = relationship.minCount
                wish = max(least, relationship.isOptional ? 0 : 1)
                most = relationship.maxCount == 0 ? .max : relationship.maxCount
            } else {
                least = relationship.isOptional ? 0 : 1
                (wish, most) = (least, 1)
            }
        }

        var name: String { relationship.map { "\(entity).\($0.name)" } ?? "" }
    }

    var sides: [Side]
    /// Whether the relationship is its own inverse: both sides are one.
    let isSymmetric: Bool

    /// All relationships of the model, in an order that does not depend on that of its entities.
    static func all(in model: ManagedObjectModel) -> [RelationshipSides] {
        var pairs: [RelationshipSides] = []
        for entity in model.entities.sorted(by: { $0.name < $1.name }) {
            for relationship in entity.properties.compactMap(\.relationship).sorted(by: { $0.name < $1.name })
            where !relationship.isTransient {
                let inverse = relationship.inverse.flatMap {
                    model.declaration(of: $0, in: relationship.destination)
                }
                guard let inverse, let other = inverse.property.relationship, !other.isTransient else {
                    pairs.append(RelationshipSides(model, (entity.name, relationship), nil))
                    continue
                }
                let (own, opposite) = ((entity.name, relationship.name), (inverse.entity.name, other.name))
                if own > opposite { continue }
                pairs.append(
                    RelationshipSides(
                        model, (entity.name, relationship),
                        own == opposite ? nil : (inverse.entity.name, other),
                        isSymmetric: own == opposite))
            }
        }
        return pairs
    }

    private init(
        _ model: ManagedObjectModel, _ first: (entity: String, relationship: RelationshipDescription),
        _ second: (entity: String, relationship: RelationshipDescription)?, isSymmetric: Bool = false
    ) {
        func family(_ entity: String) -> Set<String> {
            Set(model.descendants(of: entity).filter { !$0.isAbstract }.map(\.name))
        }
        // What both sides allow: either may name a narrower destination than the entity that declares the other.
        let owners = family(second?.relationship.destination ?? first.entity)
        let members = family(first.relationship.destination)
        let one = Side(first.entity, first.relationship, owners)
        let other = Side(second?.entity ?? "", second?.relationship, members)
        self.isSymmetric = isSymmetric
        sides = second != nil && first.relationship.isToMany ? [other, one] : [one, other]
    }

    /// The side opposite of `side`, which is itself where there is only one.
    func opposite(_ side: Int) -> Int { isSymmetric ? 0 : 1 - side }
}
