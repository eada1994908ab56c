package import HowdahModel
package import HowdahSchema

/// What differs between two versions of a model, and what of it cannot be inferred.
package struct ModelDifference: Sendable {
    /// Which parts continue which.
    package let pairing: ModelPairing
    /// What differs: removed entities, then entity by entity in the order of the later model's names.
    package private(set) var changes: [ModelChange] = []
    /// What stands in the way of inference; empty where nothing does.
    package private(set) var refusals: [MigrationRefusal] = []

    private let confirmedDrops: Set<String>

    /// Compares `new` with `old`.
    ///
    /// - Parameter confirmedDrops: entities and `Entity.property` of the earlier model whose values may go, although
    ///   something that looks like a continuation was added, or the values do not fit what continues them.
    package init(
        from old: ManagedObjectModel, to new: ManagedObjectModel, confirmedDrops: Set<String> = []
    ) {
        pairing = ModelPairing(from: old, to: new)
        self.confirmedDrops = confirmedDrops
        for entity in old.entities.sorted(by: { $0.name < $1.name })
        where pairing.target(ofEntity: entity.name) == nil {
            changes.append(ModelChange(.removed, entity.name))
        }
        let used = usedProperties()
        for entity in new.entities.sorted(by: { $0.name < $1.name }) { compare(entity, used) }
        refuseLookAlikeEntities()
        refuseAnotherModel()
    }

    /// The properties of the earlier model that something continues.
    private func usedProperties() -> Set<Place> {
        var used: Set<Place> = []
        for entity in pairing.new.entities {
            guard let source = pairing.source(ofEntity: entity.name) else { continue }
            for property in pairing.new.properties(of: entity.name) {
                guard let found = pairing.namesake(of: property.name, in: entity.name),
                    let owner = pairing.old.declaration(of: found.name, in: source)?.entity.name
                else { continue }
                used.insert(Place(entity: owner, property: found.name))
            }
        }
        return used
    }

    struct Place: Hashable {
        let entity: String
        let property: String
    }

    private mutating func compare(_ entity: EntityDescription, _ used: Set<Place>) {
        guard let source = pairing.source(ofEntity: entity.name), let before = pairing.old[source] else {
            changes.append(ModelChange(.added, entity.name))
            compareProperties(of: entity, nil)
            return
        }
        if source != entity.name { changes.append(ModelChange(.renamed, entity.name, nil, "was \(source)")) }
        let details = EntityChanges.details(before, entity, pairing)
        if !details.isEmpty {
            changes.append(ModelChange(.changed, entity.name, nil, details.joined(separator: ", ")))
        }
        let added = compareProperties(of: entity, before)
        let removed = before.properties.filter { !used.contains(Place(entity: source, property: $0.name)) }
        for property in removed { changes.append(ModelChange(.removed, source, property.name)) }
        refuseLookAlikes(removed, added, source, entity.name)
    }

    /// The properties that nothing continues in.
    @discardableResult
    private mutating func compareProperties(
        of entity: EntityDescription, _ before: EntityDescription?
    ) -> [PropertyDescription] {
        var added: [PropertyDescription] = []
        for property in entity.properties {
            let pairing = pairing
            let origin = pairing.new.descendants(of: entity.name).lazy.compactMap { member in
                pairing.namesake(of: property.name, in: member.name).map { (member.name, $0) }
            }.first
            guard let (member, found) = origin, let source = pairing.source(ofEntity: member),
                let owner = pairing.old.declaration(of: found.name, in: source)?.entity.name
            else {
                changes.append(ModelChange(.added, entity.name, property.name))
                added.append(property)
                continue
            }
            if case .impossible(let why) = pairing.continuity(found, property) {
                changes.append(ModelChange(.changed, entity.name, property.name, why))
                refuse(
                    entity.name, property.name, "\(owner).\(found.name)",
                    "\(why). "
                        + (found.attribute == nil || property.attribute == nil
                            ? "Give"
                            : "Choose a type that can hold all values (\(AttributeConversion.choices)). Otherwise give")
                        + " the new property another name and copy the "
                        + (property.relationship == nil ? "values" : "references") + " in a stage,")
                continue
            }
            if found.name != property.name {
                changes.append(
                    ModelChange(.renamed, entity.name, property.name, "was \(owner).\(found.name)"))
            }
            if owner != before?.name {
                changes.append(ModelChange(.moved, entity.name, property.name, "was in \(owner)"))
            }
            let details = PropertyChanges.details(found, property, pairing)
            if !details.isEmpty {
                changes.append(
                    ModelChange(.changed, entity.name, property.name, details.joined(separator: ", ")))
            }
            if let before = found.attribute, let now = property.attribute {
                compareElements(before, now, entity.name, now.name, "\(owner).\(before.name)")
            }
        }
        return added
    }

    private mutating func compareElements(
        _ before: AttributeDescription, _ now: AttributeDescription, _ entity: String, _ path: String,
        _ oldPath: String
    ) {
        guard let elements = now.type.composite?.elements, let earlier = before.type.composite?.elements
        else {
            return
        }
        let sources = ModelPairing.elementSources(now, before)
        for element in elements {
            let place = "\(path).\(element.name)"
            guard let found = ModelPairing.element(element.name, now, before) else {
                changes.append(ModelChange(.added, entity, place))
                continue
            }
            let oldPlace = "\(oldPath).\(found.before.name)"
            let continuity = pairing.continuity(.attribute(found.before), .attribute(element))
            if case .impossible(let why) = continuity {
                refuse(
                    entity, place, oldPlace,
                    "\(why). Give the new element another name and copy the values in a stage,")
            }
            if found.before.name != element.name {
                changes.append(ModelChange(.renamed, entity, place, "was \(oldPlace)"))
            }
            let details = PropertyChanges.details(.attribute(found.before), .attribute(element), pairing)
            if !details.isEmpty {
                changes.append(ModelChange(.changed, entity, place, details.joined(separator: ", ")))
            }
            compareElements(found.before, element, entity, place, oldPlace)
        }
        for element in earlier where !sources.values.contains(element.name) {
            changes.append(ModelChange(.removed, entity, "\(path).\(element.name)"))
        }
    }

    private mutating func refuse(
        _ entity: String, _ property: String?, _ confirmation: String, _ text: String
    ) {
        guard !confirmedDrops.contains(confirmation) else { return }
        let place = [entity, property].compactMap { $0 }.joined(separator: ".")
        refusals.append(
            MigrationRefusal(
                entity: entity, property: property,
                message: "\(place): \(text) or confirm that the values of \(confirmation) may be dropped.",
                confirmation: confirmation))
    }

    private mutating func refuseLookAlikes(
        _ removed: [PropertyDescription], _ added: [PropertyDescription], _ source: String, _ entity: String
    ) {
        let pairs = RenameAdvice.pairs(
            removed: removed.map { .property($0) }, added: added.map { .property($0) })
        let twins = Dictionary(pairs.map { ($1, added[$0]) }, uniquingKeysWith: { first, _ in first })
        for (place, property) in removed.enumerated() {
            guard let twin = twins[place] else {
                refuseObjects(inPlaceOf: property, added, source, entity)
                continue
            }
            let place = "\(source).\(property.name)"
            if goesOnAtItsInverse(property, twin), !losesValues(at: place) { continue }
            refuse(
                entity, twin.name, place,
                "\(place) was removed and the similar \(twin.name) was added. Give "
                    + "\(twin.name) the renaming identifier \"\(property.renamingIdentifier ?? property.name)\" if "
                    + "\(twin.name) is the same property,")
        }
    }

    /// Indicates whether the links of a removed relationship are those of an added one, whose inverse continues its inverse.
    private func goesOnAtItsInverse(_ removed: PropertyDescription, _ added: PropertyDescription) -> Bool {
        guard let old = removed.relationship, let new = added.relationship, let before = old.inverse,
            let now = new.inverse
        else { return false }
        return pairing.source(of: now, in: new.destination)?.name == before
    }

    private func losesValues(at place: String) -> Bool {
        ModelLoss.all(from: pairing.old, to: pairing.new).contains { $0.place == place }
    }

    /// An attribute whose values are to be objects now, by the names: image, then images to a new entity.
    private mutating func refuseObjects(
        inPlaceOf property: PropertyDescription, _ added: [PropertyDescription], _ source: String,
        _ entity: String
    ) {
        guard property.attribute?.isStored == true else { return }
        let name = property.name.lowercased()
        let twin = added.first { other in
            guard let relationship = other.relationship,
                pairing.source(ofEntity: relationship.destination) == nil
            else { return false }
            let new = other.name.lowercased()
            return min(name.count, new.count) > 2 && (new.hasPrefix(name) || name.hasPrefix(new))
        }
        guard let twin else { return }
        refuse(
            entity, twin.name, "\(source).\(property.name)",
            "\(source).\(property.name) was removed and \(twin.name), which refers to a new entity, was added. "
                + "To keep the values, add a model version that has both, and create the new objects in "
                + "didMigrate of the stage to it,")
    }

    /// Where nothing goes on, the model is most likely that of another store.
    private mutating func refuseAnotherModel() {
        guard !pairing.old.entities.isEmpty,
            pairing.old.entities.allSatisfy({ pairing.target(ofEntity: $0.name) == nil })
        else { return }
        for entity in pairing.old.entities where !refusals.contains(where: { $0.confirmation == entity.name })
        {
            refuse(
                entity.name, nil, entity.name,
                "none of the store's entities is in the model. The model may belong to another store. Use the right model and "
                    + "database,")
        }
    }

    private mutating func refuseLookAlikeEntities() {
        let added = pairing.new.entities.filter { pairing.source(ofEntity: $0.name) == nil }
        let removed = pairing.old.entities.filter { pairing.target(ofEntity: $0.name) == nil }
        let pairs = RenameAdvice.pairs(
            removed: removed.map { .entity($0) }, added: added.map { .entity($0) })
        for (new, old) in pairs.sorted(by: { $0.key < $1.key }) {
            let (entity, twin) = (removed[old], added[new])
            refuse(
                twin.name, nil, entity.name,
                "\(entity.name) was removed and the similar \(twin.name) was added. Give \(twin.name) the "
                    + "renaming identifier \"\(entity.storedName)\" if \(twin.name) is the same entity,")
        }
    }
}
