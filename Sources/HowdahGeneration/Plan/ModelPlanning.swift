internal import HowdahModel
import HowdahNames

/// Settles the names and types of all code of a model, and remembers what it could not keep.
struct ModelPlanning {
    let model: ManagedObjectModel
    let title: String
    private(set) var warnings: [GenerationWarning] = []
    /// The class of each entity, by the entity's name.
    private var classNames: [String: String] = [:]
    private var typeNames = UniqueNames(taken: ReservedNames.types)
    /// The names of all types, which no property may have.
    private var types: Set<String> = []
    private var composites: [CompositeDescription] = []
    private var compositeNames: [CompositeDescription: String] = [:]
    /// What each entity's properties are called, inherited ones first.
    private var memberNames: [String: [String]] = [:]
    /// What each entity's fetched properties are called, inherited ones first.
    private var fetchedNames: [String: [String]] = [:]

    init(_ model: ManagedObjectModel, named title: String) {
        self.model = model
        self.title = title
    }

    mutating func plan() -> ModelPlan {
        nameClasses()
        for entity in model.entities {
            for attribute in entity.properties.compactMap(\.attribute) { nameComposites(of: attribute.type) }
        }
        types = Set(classNames.values).union(compositeNames.values)
        for root in model.roots {
            for entity in model.descendants(of: root.name) { nameMembers(of: entity) }
        }
        let classes = model.entities.map { plan($0) }
        let structs = composites.map { plan($0) }
        let stem = title.identifier
        return ModelPlan(
            model: model, title: title,
            name: ["init", "self", "Type"].contains(stem.loweredAtStart)
                ? stem.loweredAtStart + "_" : stem.loweredAtStart,
            fileName: stem.hasSuffix("Model") ? stem : stem + "Model", classes: classes, composites: structs)
    }

    mutating func warn(_ owner: String?, _ property: String?, _ message: String) {
        warnings.append(GenerationWarning(owner, property, message))
    }

    // MARK: Types

    /// Names what the model calls so first, so that the rest goes out of its way.
    private mutating func nameClasses() {
        var wanted: [String: String] = [:]
        var claims: [String: [String]] = [:]
        for entity in model.entities {
            let name = Self.className(of: entity)
            wanted[entity.name] = name
            claims[name, default: []].append(entity.name)
        }
        for entity in model.entities {
            let name = wanted[entity.name] ?? entity.name
            let others = claims[name] ?? []
            guard others.count > 1, name != entity.name, others.first != entity.name || others.contains(name)
            else {
                continue
            }
            // A class has one entity here; in Core Data it may have several.
            wanted[entity.name] = entity.name
            warn(
                entity.name, nil,
                "The class \(name) belongs to another entity, so the class of this entity is called "
                    + "\(entity.name). Set another class name in the model if you want a different one.")
        }
        for entity in model.entities {
            let name = wanted[entity.name] ?? entity.name
            let taken = typeNames.take(name.identifier)
            classNames[entity.name] = taken
            if taken != name {
                warn(
                    entity.name, nil,
                    "\"\(name)\" cannot be the name of a class here. The class is called \(taken). Use this "
                        + "name in code, or set another class name in the model.")
            }
        }
    }

    /// The name without a module: that of the class, or of the entity where the model names none of its own.
    static func className(of entity: EntityDescription) -> String {
        let bare = (entity.className ?? "").split(separator: ".").last.map(String.init) ?? ""
        return ["", "NSManagedObject", "ManagedObject"].contains(bare) ? entity.name : bare
    }

    private mutating func nameComposites(of type: AttributeType) {
        guard let description = type.composite, compositeNames[description] == nil else { return }
        for element in description.elements { nameComposites(of: element.type) }
        let name = typeNames.take(description.name.isEmpty ? "Composite" : description.name.identifier)
        compositeNames[description] = name
        if name != description.name {
            warn(
                nil, nil,
                "The composite type \"\(description.name)\" cannot keep its name in code. The struct is "
                    + "called \(name). Use this name in code, or rename the composite type."
            )
        }
        composites.append(description)
    }

    // MARK: Members

    private mutating func nameMembers(of entity: EntityDescription) {
        let inherited = entity.superentity.flatMap { memberNames[$0] } ?? []
        let inheritedFetched = entity.superentity.flatMap { fetchedNames[$0] } ?? []
        var names = UniqueNames(taken: Set(inherited + inheritedFetched))
        memberNames[entity.name] =
            inherited
            + entity.properties.map { name($0.name, of: entity.name, ObjectMembers.names, &names) }
        fetchedNames[entity.name] =
            inheritedFetched
            + entity.fetchedProperties.map {
                name($0.name, of: entity.name, ObjectMembers.names, &names)
            }
    }

    private mutating func name(
        _ key: String, of owner: String, _ reserved: Set<String>, _ names: inout UniqueNames
    ) -> String {
        let name = names.take(ReservedNames.property(key, in: reserved, types: types))
        if name != key {
            warn(
                owner, key,
                "The name cannot be used in code. The property is called \(name). Use this name "
                    + "in code, or rename the property in the model.")
        }
        return name
    }

    private mutating func plan(_ entity: EntityDescription) -> ClassPlan {
        let names = memberNames[entity.name] ?? []
        let firstSlot = names.count - entity.properties.count
        var members: [MemberPlan] = []
        for (offset, property) in entity.properties.enumerated() {
            let (name, slot) = (names[firstSlot + offset], firstSlot + offset)
            if let attribute = property.attribute {
                members.append(member(attribute, named: name, slot))
                if attribute.type == .undefined {
                    warn(
                        entity.name, attribute.name,
                        "The attribute has no type, so the class has no property for it. Declare a property in an extension."
                    )
                }
            } else if let relationship = property.relationship {
                let destination = classNames[relationship.destination] ?? relationship.destination
                members.append(
                    MemberPlan(
                        key: relationship.name, name: name, slot: slot,
                        shape: relationship.isToMany
                            ? .toMany(relationship, destination: destination)
                            : .toOne(relationship, destination: destination)))
            }
        }
        let fetched = zip(
            entity.fetchedProperties, (fetchedNames[entity.name] ?? []).suffix(entity.fetchedProperties.count)
        )
        .map { property, name in
            FetchedPlan(
                key: property.name, name: name,
                destination: classNames[property.fetchRequest.entityName] ?? "Howdah.ManagedObject")
        }
        return ClassPlan(
            entity: entity, name: classNames[entity.name] ?? entity.name,
            superclass: entity.superentity.flatMap { classNames[$0] },
            isFinal: model.subentities(of: entity.name).isEmpty, members: members, fetched: fetched,
            firstSlot: firstSlot)
    }

    private mutating func plan(_ composite: CompositeDescription) -> CompositePlan {
        var names = UniqueNames()
        var members: [MemberPlan] = []
        for (slot, element) in composite.elements.enumerated() {
            let name = name(element.name, of: composite.name, ReservedNames.compositeMembers, &names)
            members.append(member(element, named: name, slot))
        }
        return CompositePlan(
            description: composite, name: compositeNames[composite] ?? composite.name, members: members)
    }

    private func member(_ attribute: AttributeDescription, named name: String, _ slot: Int) -> MemberPlan {
        let composite = attribute.type.composite.flatMap { compositeNames[$0] }
        let shape: MemberPlan.Shape =
            if let type = composite?.spelling ?? attribute.declaredType ?? attribute.type.swiftType {
                .attribute(attribute, type: attribute.isOptional ? type + "?" : type)
            } else {
                .unsupported(attribute)
            }
        return MemberPlan(key: attribute.name, name: name, slot: slot, shape: shape, composite: composite)
    }
}
