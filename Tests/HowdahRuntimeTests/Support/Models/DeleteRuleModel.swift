import Howdah

/// Pairs of entities, one for each shape of relationship and delete rule; without classes.
enum DeleteRuleModel {
    enum Shape: String, CaseIterable {
        /// The owner has many items, the rule is the owner's.
        case toMany
        /// Owner and item have one of each other, the rule is the owner's.
        case oneToOne
        /// The owner holds the key, and items have many owners.
        case holder
        /// Links.
        case manyToMany
        /// Links without an inverse.
        case oneWayMany
        /// A key without an inverse.
        case oneWayOne
    }

    static let rules: [DeleteRule] = [.nullify, .cascade, .deny]

    static func owner(_ shape: Shape, _ rule: DeleteRule) -> String {
        "Owner_\(shape.rawValue)_\(rule.rawValue)"
    }
    static func item(_ shape: Shape, _ rule: DeleteRule) -> String {
        "Item_\(shape.rawValue)_\(rule.rawValue)"
    }

    static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: Shape.allCases.flatMap { shape in rules.flatMap { pair(shape, $0) } })
    }

    private static func pair(_ shape: Shape, _ rule: DeleteRule) -> [EntityDescription] {
        let (owner, item) = (owner(shape, rule), item(shape, rule))
        let isMany = shape == .toMany || shape == .manyToMany || shape == .oneWayMany
        let hasInverse = shape != .oneWayMany && shape != .oneWayOne
        var itemProperties: [PropertyDescription] = [.attribute("name", .string)]
        if hasInverse {
            itemProperties.append(
                .relationship(
                    "owners", to: owner, inverse: "items", toMany: shape == .manyToMany || shape == .holder))
        }
        return [
            EntityDescription(
                owner,
                properties: [
                    .attribute("name", .string),
                    .relationship(
                        "items", to: item, inverse: hasInverse ? "owners" : nil, toMany: isMany,
                        deleteRule: rule),
                ]),
            EntityDescription(item, properties: itemProperties),
        ]
    }
}
