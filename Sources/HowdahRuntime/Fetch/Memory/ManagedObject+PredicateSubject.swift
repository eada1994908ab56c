import Foundation
package import HowdahModel

/// Evaluates predicates on objects in memory. If relationships on a key path are not loaded, they load.
extension ManagedObject: PredicateSubject {
    package final var predicateIdentity: ObjectReference? {
        ObjectReference(key: key, entity: layout.storedName)
    }

    package final func predicateOperand(forKey key: String) -> PredicateOperand? {
        guard let slot = layout.slotsByName[key] else {
            if let property = layout.fetchedProperties[key] { return .many(fetched(property)) }
            return key == "entity" ? .entity(layout.lineage(in: owner?.layouts ?? [])) : nil
        }
        switch layout.slots[slot].kind {
        case .attribute(let attribute):
            _willRead(slot)
            return CompositeSubject.operand(_value(at: slot), of: attribute.description)
        case .toOne:
            // What is going to be deleted is gone for whoever asks what there is.
            let destination = destination(slot)
            return .one(destination?._flags.contains(.deleted) == true ? nil : destination)
        case .toMany: return .many(membersOf(slot).filter { !$0._flags.contains(.deleted) })
        }
    }

    package final func predicatePlace(at path: [String]) -> PredicatePlace? {
        let layouts = owner?.layouts ?? []
        var layout = layout
        var crossesToMany = false
        for (place, name) in path.enumerated() {
            guard let slot = layout.slotsByName[name] else { return nil }
            switch layout.slots[slot].kind {
            case .attribute(let attribute):
                let description = attribute.description.element(at: path[(place + 1)...])
                return PredicatePlace(crossesToMany: crossesToMany, zero: description?.type.zero)
            case .toOne(let relationship), .toMany(let relationship):
                guard layouts.indices.contains(relationship.destination) else { return nil }
                if relationship.isToMany { crossesToMany = true }
                layout = layouts[relationship.destination]
            }
        }
        return PredicatePlace(crossesToMany: crossesToMany, zero: nil)
    }
}

extension AttributeDescription {
    /// Returns the element of a composite at the end of a path of names.
    fileprivate func element(at path: ArraySlice<String>) -> AttributeDescription? {
        guard let name = path.first else { return self }
        guard case .composite(let description) = type.kind else { return nil }
        return description.elements.first { $0.name == name }?.element(at: path.dropFirst())
    }
}

extension AttributeType {
    fileprivate var zero: Value? {
        switch (element ?? self).kind {
        case .integer16, .integer32, .integer64, .boolean: .int(0)
        case .decimal: .decimal(0)
        case .double, .float: .double(0)
        default: nil
        }
    }
}

/// A composite within a key path.
private struct CompositeSubject: PredicateSubject {
    let elements: [Value]
    let description: CompositeDescription

    var predicateIdentity: ObjectReference? { nil }

    func predicateOperand(forKey key: String) -> PredicateOperand? {
        guard let index = description.elements.firstIndex(where: { $0.name == key }) else { return nil }
        return Self.operand(elements[index], of: description.elements[index])
    }

    static func operand(_ value: Value, of attribute: AttributeDescription) -> PredicateOperand {
        let type = attribute.type
        if attribute.isStoredAsJSON {
            guard case .data(let data) = value, let document = JSONDocument(data) else {
                return .document(.null)
            }
            // The attribute is nil where there is no JSON, and not where the JSON is null.
            return .document(document == .null ? .object([:]) : document)
        }
        if type.element != nil {
            if case .array(let elements) = value { return .array(elements) }
            return .array(nil)
        }
        guard case .composite(let description) = type.kind else {
            return attribute.isCaseInsensitive ? .caseInsensitive(value) : .value(value)
        }
        guard case .composite(let elements) = value, !value.isNullThroughout else { return .one(nil) }
        return .one(CompositeSubject(elements: elements, description: description))
    }
}

extension ManagedObject: PredicateEntity {
    package class var predicateEntityName: String { _entityName }
}

extension EntityLayout {
    /// Returns the names of this entity and its ancestors, the root's first.
    func lineage(in layouts: [EntityLayout]) -> [String] {
        let above = layouts.filter { $0.root == root && $0.index != index && $0.family.contains(index) }
        return above.sorted { $0.family.count > $1.family.count }.map(\.name) + [name]
    }
}
