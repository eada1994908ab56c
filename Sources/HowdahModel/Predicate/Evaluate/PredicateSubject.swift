/// An object on which a predicate can be evaluated in memory.
package protocol PredicateSubject {
    /// The row of the object; nil for a composite value, which does not have one.
    var predicateIdentity: ObjectReference? { get }

    /// Returns the value of the property `key`, or nil if the property does not exist.
    func predicateOperand(forKey key: String) -> PredicateOperand?

    /// Returns the model's description of the end of a key path, even with missing objects on the way.
    ///
    /// It is nil without a model.
    func predicatePlace(at path: [String]) -> PredicatePlace?
}

extension PredicateSubject {
    package func predicatePlace(at path: [String]) -> PredicatePlace? { nil }
}

/// The model's description of the end of a key path.
package struct PredicatePlace {
    package let crossesToMany: Bool
    /// A sum without members, as a number of the attribute's kind.
    package let zero: Value?

    package init(crossesToMany: Bool, zero: Value?) {
        self.crossesToMany = crossesToMany
        self.zero = zero
    }
}

/// The value of one property of a ``PredicateSubject``.
package enum PredicateOperand {
    /// An attribute.
    case value(Value)
    /// A string that is compared without regard to case.
    case caseInsensitive(Value)
    /// An array; nil if the attribute is nil.
    case array([Value]?)
    /// A `jsonb` attribute, or a part of it.
    case document(JSONDocument)
    /// The entity of the object: its name and those of the entities above it, the root's first.
    case entity([String])
    /// A to-one relationship or a composite.
    case one((any PredicateSubject)?)
    /// A to-many relationship.
    case many([any PredicateSubject])
}

extension PredicateSubject {
    /// The value in comparisons with SELF, or with a to-one relationship to the object.
    var predicateValue: Value { predicateIdentity.map { .reference($0) } ?? .composite([]) }
}
