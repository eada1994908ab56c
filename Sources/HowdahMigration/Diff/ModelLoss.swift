package import HowdahModel
internal import HowdahSchema

/// Values that a store loses on the way from one version of its model to the next, under the name that confirms it.
package struct ModelLoss: Hashable, Sendable {
    /// An entity, or `Entity.property`, of the earlier model; elements of composites by dotted path.
    package let place: String
    /// The entities whose objects lose them.
    private(set) var members: [String]
    /// The path of each value: the property and the elements of its composites. Empty if the objects themselves go.
    let paths: [[String]]
    /// Indicates that a mapping leaves them behind.
    private(set) var isMapped = false

    /// The same, left behind by a mapping.
    package var ofMapping: ModelLoss {
        var loss = self
        loss.isMapped = true
        return loss
    }

    /// Everything that is lost on the way between two models, in the order of the names.
    ///
    /// - Parameters:
    ///   - isGone: Indicates whether all objects of an entity go.
    ///   - isCarried: Indicates whether the values of an entity's property, or of an element of it, go on elsewhere.
    ///   - isCarriedFrom: Indicates whether the links of an entity's relationship go on from the other end, of objects of a third.
    ///   - isShutOut: Indicates whether the other end goes on, but may no longer have objects of a third.
    package static func all(
        from old: ManagedObjectModel,
        isGone: (EntityDescription) -> Bool, isCarried: (EntityDescription, [String]) -> Bool,
        isCarriedFrom: (EntityDescription, String, EntityDescription) -> Bool,
        isShutOut: (EntityDescription, String, EntityDescription) -> Bool = { _, _, _ in false }
    ) -> [ModelLoss] {
        let layout = try? StoreSchema(old)
        var losses: [String: ModelLoss] = [:]
        for entity in old.entities.sorted(by: { $0.name < $1.name }) where !entity.isAbstract {
            if isGone(entity) {
                losses[entity.name] = ModelLoss(place: entity.name, members: [entity.name], paths: [])
                continue
            }
            for property in old.properties(of: entity.name) {
                guard let owner = old.declaration(of: property.name, in: entity.name)?.entity else {
                    continue
                }
                var found = lost(property, of: owner, isCarried: { isCarried(entity, $0) })
                let place = "\(owner.name).\(property.name)"
                let storage = layout?.entities[entity.name]?.property(named: property.name)?.mapping
                if let relationship = property.relationship, !isCarried(entity, [property.name]),
                    old.losesLinks(
                        of: relationship, at: place, storage, isGone, { isCarriedFrom($0, $1, entity) },
                        { isShutOut($0, $1, entity) })
                {
                    found = [(place, [[property.name]])]
                }
                for (place, paths) in found {
                    losses[place, default: ModelLoss(place: place, members: [], paths: paths)].members
                        .append(entity.name)
                }
            }
        }
        return losses.values.sorted { $0.place < $1.place }
    }

    /// The values that inference loses between two models, in the order of their names.
    package static func all(
        from old: ManagedObjectModel, to new: ManagedObjectModel
    ) -> [ModelLoss] {
        let pairing = ModelPairing(from: old, to: new)
        let layout = try? StoreSchema(new)
        var carried: [String: Set<[String]>] = [:]
        for entity in new.entities {
            guard let source = pairing.source(ofEntity: entity.name) else { continue }
            for property in new.properties(of: entity.name) {
                var sources: [[String]] = []
                if let attribute = property.attribute {
                    // What is computed does not keep what was there.
                    guard attribute.derivationExpression == nil else { continue }
                    sources = attribute.leafPaths.compactMap {
                        pairing.leafSource(of: $0, in: entity.name)?.path
                    }
                } else if let before = pairing.source(of: property.name, in: entity.name) {
                    sources = [[before.name]]
                }
                carried[source, default: []].formUnion(sources)
            }
        }
        /// The relationship that continues one of `end`; nil if there is none, or `member` is gone.
        func continuation(
            _ end: EntityDescription, _ name: String, _ member: EntityDescription
        ) -> (isJoin: Bool, takesMember: Bool)? {
            guard let target = pairing.target(ofEntity: end.name),
                let place = pairing.target(ofEntity: member.name),
                let property = new.properties(of: target).first(where: {
                    pairing.source(of: $0.name, in: target)?.name == name
                }), let relationship = property.relationship
            else { return nil }
            let storage = layout?.entities[target]?.property(named: property.name)?.mapping
            let isJoin = if case .join? = storage { true } else { false }
            let members = new.descendants(of: relationship.destination)
            return (isJoin, members.contains { $0.name == place })
        }
        return all(
            from: old, isGone: { pairing.target(ofEntity: $0.name) == nil },
            isCarried: { carried[$0.name]?.contains($1) ?? false },
            isCarriedFrom: { end, name, member in
                // Links that go on from their other end are copied into a table of links, of the members that it may have.
                continuation(end, name, member).map { $0.isJoin && $0.takesMember } ?? false
            },
            isShutOut: { end, name, member in
                continuation(end, name, member).map { !$0.takesMember } ?? false
            })
    }

    /// The places of one property that are lost, each with the paths of its values.
    private static func lost(
        _ property: PropertyDescription, of owner: EntityDescription, isCarried: ([String]) -> Bool
    ) -> [(place: String, paths: [[String]])] {
        // What follows from other values is no loss.
        guard let attribute = property.attribute, attribute.derivationExpression == nil else { return [] }
        let all = attribute.leafPaths
        let lost = all.filter { !isCarried($0) }
        if lost.isEmpty { return [] }
        if lost == all { return [("\(owner.name).\(property.name)", all)] }
        return lost.map { ("\(owner.name).\($0.joined(separator: "."))", [$0]) }
    }

    /// The names that give up some of the values, or more: elements of a composite that goes, the property that an element is in.
    package var relatives: [String] {
        let parts = place.split(separator: ".")
        return elements + (2..<max(2, parts.count)).map { parts[..<$0].joined(separator: ".") }
    }

    /// The elements of a composite that goes as a whole, by their names.
    package var elements: [String] {
        guard paths.count > 1, let entity = place.firstIndex(of: ".") else { return [] }
        return paths.map { "\(place[..<entity]).\($0.joined(separator: "."))" }
    }

    /// Indicates whether these names give up the values: that of the place, of the property that it is in, or those of all its
    /// elements.
    package func isConfirmed(by names: Set<String>) -> Bool {
        if !elements.isEmpty, elements.allSatisfy(names.contains) { return true }
        var place = place
        while true {
            if names.contains(place) { return true }
            guard let dot = place.lastIndex(of: "."), place[..<dot].contains(".") else { return false }
            place = String(place[..<dot])
        }
    }

    /// Indicates whether the values are those of a name, or some of them, or more.
    func overlaps(_ name: String) -> Bool {
        name == place || name.hasPrefix(place + ".") && !paths.isEmpty
            || place.hasPrefix(name + ".") && name.contains(".")
    }

    private var complaint: (fault: String, remedy: String?) {
        switch (paths.isEmpty, isMapped) {
        case (true, false): ("the migration deletes its objects.", nil)
        case (false, false): ("the migration drops its values.", nil)
        case (true, true):
            (
                "no entity mapping uses its objects.",
                "Add an entity mapping, with the type remove if the objects may be deleted."
            )
        case (false, true):
            (
                "no expression of the entity's mappings reads its values.",
                "Add an expression to the property that should receive the values."
            )
        }
    }

    /// The refusal that names the loss.
    package var refusal: MigrationRefusal { refusal(because: nil) }

    /// The refusal that names the loss.
    ///
    /// - Parameters:
    ///   - reason: the reason why it needs a confirmation although its values may be absent; nil if they exist.
    ///   - isUnanswered: Indicates whether the store may answer the next time.
    func refusal(because reason: String?, isUnanswered: Bool = false) -> MigrationRefusal {
        let parts = place.split(separator: ".", maxSplits: 1).map(String.init)
        let sentences = [complaint.fault, reason, complaint.remedy].compactMap(\.self)
        return MigrationRefusal(
            entity: parts[0], property: parts.count > 1 ? parts[1] : nil,
            message: "\(place): \(sentences.joined(separator: " "))",
            confirmation: place, isLoss: true, isUnanswered: isUnanswered)
    }
}

extension ManagedObjectModel {
    /// Indicates whether the links of a relationship are lost, and go by its name: neither are they stored with the inverse,
    /// nor go on from there, nor do the objects at the other end all go.
    ///
    /// Links are stored once, whichever side they are seen from: of a table of links the first name counts.
    fileprivate func losesLinks(
        of relationship: RelationshipDescription, at place: String, _ storage: PropertyStorage?,
        _ isGone: (EntityDescription) -> Bool, _ isCarriedFrom: (EntityDescription, String) -> Bool,
        _ isShutOut: (EntityDescription, String) -> Bool
    ) -> Bool {
        let ends = descendants(of: relationship.destination).filter { !$0.isAbstract }
        if relationship.isTransient || ends.allSatisfy(isGone) { return false }
        // The other end keeps its name, and loses the links to these objects.
        if let name = relationship.inverse, ends.contains(where: { isShutOut($0, name) }) { return true }
        switch storage {
        case .inverse, .transient, .attribute: return false
        case .toOne, .join, nil: break
        }
        guard let name = relationship.inverse,
            let owner = declaration(of: name, in: relationship.destination)
        else { return true }
        if ends.filter({ !isGone($0) }).allSatisfy({ isCarriedFrom($0, name) }) { return false }
        if case .join = storage { return place <= "\(owner.entity.name).\(name)" }
        return true
    }
}

extension AttributeDescription {
    /// The paths of the values that are stored: of the attribute itself, or of the elements of a composite.
    fileprivate var leafPaths: [[String]] {
        guard isStored else { return [] }
        guard let elements = type.composite?.elements else { return [[name]] }
        return elements.flatMap { element in element.leafPaths.map { [name] + $0 } }
    }
}
