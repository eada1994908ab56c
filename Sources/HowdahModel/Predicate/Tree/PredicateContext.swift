/// The objects for the evaluation of a predicate.
struct PredicateContext {
    let subject: any PredicateSubject
    /// The members for the variables of sub-queries.
    var members: [String: any PredicateSubject] = [:]
}
