import Howdah
import HowdahModel

extension RuleShape {
    /// All shapes with all rules, with a trigger for each rule or none.
    static func model(triggers: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: allCases.flatMap { shape in rules.flatMap { shape.entities($0, triggers: triggers) } })
    }

    private func entities(_ rule: DeleteRule, triggers: Bool) -> [EntityDescription] {
        let (owner, item) = (owner(rule), item(rule))
        let name = PropertyDescription.attribute("name", .string)
        if isOfOneEntity { return [EntityDescription(owner, properties: [name] + ends(rule, triggers))] }
        let ends = ends(rule, triggers)
        let (items, owners) = (ends[0], ends.dropFirst())
        switch self {
        case .inherited:
            return [
                EntityDescription("Base_\(owner)", abstract: true, properties: [name, items]),
                EntityDescription(owner, superentity: "Base_\(owner)"),
                EntityDescription("Other_\(owner)", superentity: "Base_\(owner)"),
                EntityDescription(item, properties: [name] + owners),
            ]
        case .toSubentity, .toSubentityRequired:
            return [
                EntityDescription(owner, properties: [name, items]),
                EntityDescription("Base_\(item)", properties: [name]),
                EntityDescription(item, superentity: "Base_\(item)", properties: Array(owners)),
            ]
        default:
            return [
                EntityDescription(owner, properties: [name, items]),
                EntityDescription(item, properties: [name] + owners),
            ]
        }
    }

    /// The relationship and its inverse.
    private func ends(_ rule: DeleteRule, _ triggers: Bool) -> [PropertyDescription] {
        let isOneToOne = hasInverse && !isSelfInverse && !isToMany && !inverseIsToMany
        let held = isOneToOne ? [MappingKey.column: "held"] : [:]
        let inverse = isSelfInverse ? "items" : hasInverse ? "owners" : nil
        var userInfo = place == .owner ? held : [:]
        if triggers { userInfo[MappingKey.deleteTrigger] = "YES" }
        let items = PropertyDescription.relationship(
            "items", to: item(rule), inverse: inverse, toMany: isToMany,
            ordered: self == .toManyOrdered || self == .manyToManyOrdered, optional: !ownerRequires,
            deleteRule: rule, userInfo: userInfo)
        guard inverse == "owners" else { return [items] }
        return [
            items,
            .relationship(
                "owners", to: self == .inherited ? "Base_\(owner(rule))" : owner(rule), inverse: "items",
                toMany: inverseIsToMany, optional: !itemRequires, userInfo: place == .item ? held : [:]),
        ]
    }
}
