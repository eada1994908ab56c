/// What a predicate is evaluated on.
struct PredicateContext {
    let subject: any PredicateSubject
    /// The members that sub-queries look at.
    var members: [String: any PredicateSubject] = [:]
}
