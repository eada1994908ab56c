extension PredicateSubject {
    /// What SELF, or a to-one relationship to the object, is compared as.
    var predicateValue: Value { predicateIdentity.map { .reference($0) } ?? .composite([]) }
}
