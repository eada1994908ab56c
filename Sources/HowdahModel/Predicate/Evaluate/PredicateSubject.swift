/// An object that a predicate can be evaluated on in memory.
package protocol PredicateSubject {
    /// The row the object is; nil for a composite value, which has none.
    var predicateIdentity: ObjectReference? { get }

    /// What the property `key` holds, or nil where there is no such property.
    func predicateOperand(forKey key: String) -> PredicateOperand?

    /// What the model says about the end of a key path, whatever lies on the way; nil where there is no model.
    func predicatePlace(at path: [String]) -> PredicatePlace?
}

extension PredicateSubject {
    package func predicatePlace(at path: [String]) -> PredicatePlace? { nil }
}

/// What the end of a key path is by the model.
package struct PredicatePlace {
    package let crossesToMany: Bool
    /// A sum of no members, as a number of the attribute's kind.
    package let zero: Value?

    package init(crossesToMany: Bool, zero: Value?) {
        self.crossesToMany = crossesToMany
        self.zero = zero
    }
}

/// What one property of a ``PredicateSubject`` holds.
package enum PredicateOperand {
    /// An attribute.
    case value(Value)
    /// A string that is compared without regard to case.
    case caseInsensitive(Value)
    /// An array; nil where the attribute is.
    case array([Value]?)
    /// A `jsonb` attribute, or something in it.
    case document(JSONDocument)
    /// What the object is: the names of its entity and those above it, the root's first.
    case entity([String])
    /// A to-one relationship or a composite.
    case one((any PredicateSubject)?)
    /// A to-many relationship.
    case many([any PredicateSubject])
}

extension PredicateSubject {
    /// What SELF, or a to-one relationship to the object, is compared as.
    var predicateValue: Value { predicateIdentity.map { .reference($0) } ?? .composite([]) }
}
