package import HowdahModel

/// Lets predicates run on objects in memory; relationships on the way are loaded where they are not.
extension ManagedObject: PredicateSubject {
    package final var predicateIdentity: ObjectReference? {
        ObjectReference(key: key, entity: layout.storedName)
    }

    package final func predicateOperand(forKey key: String) -> PredicateOperand? {
        guard let slot = layout.slotsByName[key] else {
            return layout.fetchedProperties[key].map { .many(fetched($0)) }
        }
        switch layout.slots[slot].kind {
        case .attribute(let attribute):
            _willRead()
            return CompositeSubject.operand(_value(at: slot), of: attribute.description)
        case .toOne:
            // What is going to be deleted is gone for whoever asks what there is.
            let destination = destination(slot)
            return .one(destination?._flags.contains(.deleted) == true ? nil : destination)
        case .toMany: return .many(membersOf(slot).filter { !$0._flags.contains(.deleted) })
        }
    }
}

/// A composite on the way of a key path.
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
