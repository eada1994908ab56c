import HowdahModel
import SeededRandom

extension XcodeModel {
    /// Makes the next version: one to three changes.
    mutating func grow() {
        let wanted = Int.random(in: 1...3, using: &random)
        let moves: [(String, (inout XcodeModel) -> String?)] = [
            ("add entity", { $0.addEntity() }), ("add subentity", { $0.addSubentity() }),
            ("add attribute", { $0.addAttribute() }),
            ("add relationship", { $0.addRelationship(required: false) }),
            ("add index", { $0.addIndex() }), ("add uniqueness", { $0.addUniqueness() }),
            ("remove property", { $0.removeProperty() }), ("remove entity", { $0.removeEntity() }),
            ("rename property", { $0.renameProperty() }), ("rename entity", { $0.renameEntity() }),
            ("move down", { $0.moveDown() }), ("move down", { $0.moveDown() }),
            ("move down", { $0.moveDown() }), ("move up", { $0.moveUp() }), ("move up", { $0.moveUp() }),
            ("put under", { $0.putUnder() }), ("take out", { $0.takeOut() }),
            ("optional", { $0.changeOptional() }), ("widen", { $0.widen() }), ("widen", { $0.widen() }),
            ("count", { $0.changeCount() }), ("order", { $0.changeOrder() }),
            ("abstract", { $0.changeAbstract() }),
        ]
        steps = []
        var tries = 0
        while steps.count < wanted, tries < 60 {
            tries += 1
            let (name, move) = random.pick(moves)
            attempt(name, move)
        }
    }

    // MARK: Removing and renaming

    private mutating func forget(_ property: String, in entity: Int) {
        entities[entity].uniquenessConstraints.removeAll { $0.contains(property) }
        entities[entity].fetchIndexes.removeAll { $0.elements.contains { $0.keyPath == property } }
    }

    private mutating func removeProperty() -> String? {
        guard let found = pickProperty(where: { _, _ in true }) else { return nil }
        let what = place(found)
        let property = entities[found.entity].properties.remove(at: found.property)
        forget(property.name, in: found.entity)
        if let relationship = property.relationship, let inverse = relationship.inverse,
            let other = position(of: relationship.destination)
        {
            entities[other].properties.removeAll { $0.name == inverse }
        }
        return what
    }

    private mutating func removeEntity() -> String? {
        let models = entities
        guard
            let found = pickEntity(where: { entity in
                !models.contains { $0.superentity == entity.name }
                    && !models.contains {
                        $0.name != entity.name
                            && $0.properties.contains { $0.relationship?.destination == entity.name }
                    }
            }), entities.count > 2
        else { return nil }
        return entities.remove(at: found).name
    }

    private mutating func renameProperty() -> String? {
        guard let found = pickProperty(where: { $0.renamingIdentifier == nil && !$1.name.isEmpty }) else {
            return nil
        }
        let (old, new) = (entities[found.entity].properties[found.property], name())
        if var attribute = old.attribute {
            (attribute.renamingIdentifier, attribute.name) = (attribute.name, new)
            entities[found.entity].properties[found.property] = .attribute(attribute)
        } else if var relationship = old.relationship {
            (relationship.renamingIdentifier, relationship.name) = (relationship.name, new)
            entities[found.entity].properties[found.property] = .relationship(relationship)
            if let inverse = relationship.inverse, let other = position(of: relationship.destination) {
                change(inverse, in: other) { $0.inverse = new }
            }
        }
        forget(old.name, in: found.entity)
        return "\(entities[found.entity].name).\(old.name) to \(new)"
    }

    private mutating func renameEntity() -> String? {
        guard let found = pickEntity(where: { $0.renamingIdentifier == nil }) else { return nil }
        let (old, new) = (entities[found].name, entityName())
        (entities[found].name, entities[found].renamingIdentifier) = (new, old)
        for entity in entities.indices {
            if entities[entity].superentity == old { entities[entity].superentity = new }
            redirect(relationshipsOf: entity, from: old, to: new)
        }
        return "\(old) to \(new)"
    }

    private mutating func change(
        _ property: String, in entity: Int, _ body: (inout RelationshipDescription) -> Void
    ) {
        guard let place = entities[entity].properties.firstIndex(where: { $0.name == property }),
            var relationship = entities[entity].properties[place].relationship
        else { return }
        body(&relationship)
        entities[entity].properties[place] = .relationship(relationship)
    }

    private mutating func redirect(relationshipsOf entity: Int, from old: String, to new: String) {
        for property in entities[entity].properties where property.relationship?.destination == old {
            change(property.name, in: entity) { $0.destination = new }
        }
    }

    // MARK: Hierarchies

    /// A property goes to one subentity, to several or to all of them, with its index and its uniqueness.
    private mutating func moveDown() -> String? {
        let all = entities
        guard
            let found = pickProperty(where: { _, entity in
                all.contains { $0.superentity == entity.name }
            })
        else { return nil }
        let property = entities[found.entity].properties[found.property]
        let children = children(of: entities[found.entity].name).shuffled(using: &random)
        var chosen = Array(children.prefix(random.chance(40) ? 1 : children.count))
        // A relationship with an inverse has one destination only.
        if property.relationship?.inverse != nil { chosen = Array(chosen.prefix(1)) }
        let what = "\(place(found)) to \(chosen.map(\.name).joined(separator: ", "))"
        move(property, from: found.entity, to: chosen.map(\.name))
        return what + changeTypes(of: property, in: chosen.map(\.name))
    }

    /// Gives an attribute another type in some of the entities that it moved to.
    private mutating func changeTypes(of property: PropertyDescription, in names: [String]) -> String {
        guard let old = property.attribute, old.defaultValue == nil, old.derivationExpression == nil,
            let types = Self.wider[old.type]
        else { return "" }
        // Of its own, so that a seed draws everything else as before.
        var random = random
        var changes = ""
        for name in names where random.chance(40) {
            guard let target = position(of: name),
                let place = entities[target].properties.firstIndex(where: { $0.name == property.name }),
                var attribute = entities[target].properties[place].attribute
            else { continue }
            attribute.type = random.pick(types)
            entities[target].properties[place] = .attribute(attribute)
            changes += ", \(attribute.type.name) in \(name)"
        }
        return changes
    }

    /// A property goes to the superentity, from one subentity or from all that have one of its name.
    private mutating func moveUp() -> String? {
        guard let found = pickProperty(where: { $1.superentity != nil }),
            let parent = entities[found.entity].superentity
        else { return nil }
        let what = "\(place(found)) to \(parent)"
        let property = entities[found.entity].properties[found.property]
        move(property, from: found.entity, to: [parent])
        for sibling in children(of: parent) {
            guard let other = position(of: sibling.name) else { continue }
            entities[other].properties.removeAll { $0.name == property.name }
            forget(property.name, in: other)
        }
        return what
    }

    private mutating func move(_ property: PropertyDescription, from entity: Int, to names: [String]) {
        let source = entities[entity]
        let constraints = source.uniquenessConstraints.filter { $0 == [property.name] }
        let indexes = source.fetchIndexes.filter { $0.elements.map(\.keyPath) == [property.name] }
        entities[entity].properties.removeAll { $0.name == property.name }
        forget(property.name, in: entity)
        for name in names {
            guard let target = position(of: name) else { continue }
            entities[target].properties.append(property)
            entities[target].uniquenessConstraints += constraints
            entities[target].fetchIndexes += indexes
        }
        if let relationship = property.relationship, let inverse = relationship.inverse,
            let other = position(of: relationship.destination), let name = names.first
        {
            change(inverse, in: other) { $0.destination = name }
        }
    }

    /// An entity gets a superentity, which exists or is new.
    private mutating func putUnder() -> String? {
        guard let child = pickEntity(where: { $0.superentity == nil }) else { return nil }
        if random.chance(50) {
            let name = entityName()
            entities.append(EntityDescription(name, abstract: random.chance(60)))
            entities[child].superentity = name
            return "\(entities[child].name) the new \(name)"
        }
        guard let parent = pickEntity(where: { $0.superentity == nil }), parent != child else { return nil }
        entities[child].superentity = entities[parent].name
        return "\(entities[child].name) \(entities[parent].name)"
    }

    /// An entity goes up, to its superentity's superentity or to none; it keeps what it inherited if that is easy.
    private mutating func takeOut() -> String? {
        guard let child = pickEntity(where: { $0.superentity != nil }),
            let parent = entities[child].superentity.flatMap(position(of:))
        else { return nil }
        let inherited = entities[parent].properties.filter { $0.relationship?.inverse == nil }
        entities[child].superentity = entities[parent].superentity
        if random.chance(60) { entities[child].properties += inherited }
        return "\(entities[child].name) of \(entities[parent].name)"
    }

    private mutating func changeAbstract() -> String? {
        let all = entities
        guard
            let found = pickEntity(where: { entity in all.contains { $0.superentity == entity.name } })
        else { return nil }
        entities[found].isAbstract.toggle()
        return entities[found].name
    }

    // MARK: Properties

    private mutating func changeOptional() -> String? {
        guard
            let found = pickProperty(where: { property, _ in property.relationship?.isToMany != true })
        else { return nil }
        let property = entities[found.entity].properties[found.property]
        if var attribute = property.attribute {
            attribute.isOptional.toggle()
            entities[found.entity].properties[found.property] = .attribute(attribute)
        } else {
            change(property.name, in: found.entity) { $0.isOptional.toggle() }
        }
        return place(found)
    }

    /// The types that values of a type can become.
    private static let wider: [AttributeType: [AttributeType]] = {
        let numbers: [AttributeType] = [
            .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean,
        ]
        var wider: [AttributeType: [AttributeType]] = [
            .date: [.string], .uuid: [.string], .uri: [.string], .boolean: numbers + [.string],
        ]
        for type in numbers.dropLast() {
            let isExact = [.integer16, .integer32, .integer64].contains(type)
            wider[type] = numbers.dropLast(isExact ? 0 : 1) + [.string]
        }
        wider[.decimal]?.removeAll { $0 == .float }
        return wider
    }()

    private mutating func widen() -> String? {
        let wider = Self.wider
        guard
            let found = pickProperty(where: { property, _ in
                property.attribute.map { wider[$0.type] != nil && $0.defaultValue == nil } ?? false
            }), var attribute = entities[found.entity].properties[found.property].attribute,
            let type = wider[attribute.type].map({ random.pick($0) }), type != attribute.type
        else { return nil }
        attribute.type = type
        entities[found.entity].properties[found.property] = .attribute(attribute)
        return "\(place(found)) to \(type.name)"
    }

    private mutating func changeCount() -> String? {
        guard let found = pickProperty(where: { property, _ in property.relationship?.isToMany == false })
        else {
            return nil
        }
        change(entities[found.entity].properties[found.property].name, in: found.entity) {
            ($0.maxCount, $0.isOptional) = (0, true)
        }
        return "\(place(found)) to many"
    }

    private mutating func changeOrder() -> String? {
        guard let found = pickProperty(where: { property, _ in property.relationship?.isToMany == true })
        else {
            return nil
        }
        change(entities[found.entity].properties[found.property].name, in: found.entity) {
            $0.isOrdered.toggle()
        }
        return place(found)
    }
}
