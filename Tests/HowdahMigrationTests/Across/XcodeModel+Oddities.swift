import HowdahModel
import SeededRandom

extension XcodeModel {
    /// The same model as Xcode may have it: with what Core Data puts up with, and that changes no data.
    ///
    /// Opened, it is this model again; `warnings` counts what must be told.
    mutating func decorated(_ steps: inout [String]) -> (entities: [EntityDescription], warnings: Int) {
        var odd = self
        var warnings = 0
        let oddities: [(String, (inout XcodeModel) -> Bool)] = [
            ("index of a to-many", { $0.indexToMany(alone: true) }),
            ("index with a to-many", { $0.indexToMany(alone: false) }),
            ("ordered to-one", { $0.orderToOne() }), ("second inverse", { $0.nameTakenInverse() }),
            ("counts", { $0.turnCounts() }), ("index of nothing", { $0.indexNothing() }),
            ("taken identifier", { $0.takeIdentifier() }), ("constraint twice", { $0.doubleConstraint() }),
            ("bounds", { $0.turnBounds() }), ("pattern", { $0.breakPattern() }),
        ]
        for (name, oddity) in oddities where random.chance(50) {
            odd.random = random
            if oddity(&odd) {
                warnings += 1
                steps.append(name)
            }
            random = odd.random
        }
        return (odd.entities, warnings)
    }

    private mutating func pickToMany() -> (entity: Int, property: Int)? {
        pickProperty { property, _ in property.relationship?.isToMany == true }
    }

    private mutating func indexToMany(alone: Bool) -> Bool {
        guard let found = pickToMany() else { return false }
        let element = FetchIndexElement(entities[found.entity].properties[found.property].name)
        if alone {
            entities[found.entity].fetchIndexes.append(
                FetchIndexDescription("odd\(found.entity)", elements: [element]))
            return true
        }
        // An index of which nothing is left has one warning for all of its elements.
        let index = entities[found.entity].fetchIndexes.firstIndex { index in
            !index.name.hasPrefix("odd") && index.name != "gone"
        }
        guard let index else { return false }
        entities[found.entity].fetchIndexes[index].elements.append(element)
        return true
    }

    private mutating func indexNothing() -> Bool {
        guard let entity = pickEntity() else { return false }
        entities[entity].fetchIndexes.append(
            FetchIndexDescription("gone", elements: [FetchIndexElement("goneForLong")]))
        return true
    }

    private mutating func change(
        _ found: (entity: Int, property: Int), _ body: (inout RelationshipDescription) -> Void
    ) {
        guard var relationship = entities[found.entity].properties[found.property].relationship else {
            return
        }
        body(&relationship)
        entities[found.entity].properties[found.property] = .relationship(relationship)
    }

    private mutating func orderToOne() -> Bool {
        guard let found = pickProperty(where: { property, _ in property.relationship?.isToMany == false })
        else {
            return false
        }
        change(found) { $0.isOrdered = true }
        return true
    }

    /// A relationship without an inverse names one that belongs to another relationship.
    private mutating func nameTakenInverse() -> Bool {
        let all = entities
        guard
            let found = pickProperty(where: { property, _ in
                guard let relationship = property.relationship, relationship.inverse == nil else {
                    return false
                }
                return all.contains { entity in
                    entity.name == relationship.destination
                        && entity.properties.contains { $0.relationship?.inverse != nil }
                }
            }), let destination = entities[found.entity].properties[found.property].relationship?.destination,
            let other = position(of: destination)
        else { return false }
        let taken = entities[other].properties.first { $0.relationship?.inverse != nil }?.name
        change(found) { $0.inverse = taken }
        return true
    }

    private mutating func turnCounts() -> Bool {
        guard
            let found = pickProperty(where: { property, _ in
                property.relationship.map { $0.isToMany && $0.maxCount > 1 && $0.minCount == 0 } ?? false
            })
        else { return false }
        change(found) { $0.minCount = $0.maxCount + 1 }
        return true
    }

    private mutating func takeIdentifier() -> Bool {
        guard let found = pickEntity(where: { $0.renamingIdentifier == nil }),
            let other = pickEntity(where: { $0.renamingIdentifier == nil }), found != other
        else { return false }
        // The name of an entity that stays under its name.
        entities[found].renamingIdentifier = entities[other].name
        return true
    }

    private mutating func doubleConstraint() -> Bool {
        guard let found = pickEntity(where: { !$0.uniquenessConstraints.isEmpty }) else { return false }
        entities[found].uniquenessConstraints[0] += entities[found].uniquenessConstraints[0]
        return true
    }

    private mutating func turnBounds() -> Bool {
        guard
            let found = pickProperty(where: { property, _ in
                property.attribute.map { $0.type == .integer32 && $0.minimum == nil } ?? false
            }), var attribute = entities[found.entity].properties[found.property].attribute
        else { return false }
        (attribute.minimum, attribute.maximum) = (5, -5)
        entities[found.entity].properties[found.property] = .attribute(attribute)
        return true
    }

    private mutating func breakPattern() -> Bool {
        guard
            let found = pickProperty(where: { property, _ in property.attribute?.type == .string }),
            var attribute = entities[found.entity].properties[found.property].attribute
        else { return false }
        attribute.regex = "[a-z"
        entities[found.entity].properties[found.property] = .attribute(attribute)
        return true
    }
}
