/// The origin of a collection.
struct PredicateOrigin {
    let subject: any PredicateSubject
    let path: [String]

    /// Returns 0 as the kind of number at the end of some keys.
    func zero(at keys: [String]) -> Value? {
        let keys = path + keys
        let operators = keys.compactMap(PredicateTree.KeyPathOperator.init(rawValue:))
        if operators.last == .count { return .int(0) }
        let names = keys.filter { PredicateTree.KeyPathOperator(rawValue: $0) == nil }
        let zero = subject.predicatePlace(at: names)?.zero
        return zero == .int(0) && operators.contains(.average) ? .double(0) : zero
    }

    func following(_ keys: [String]) -> PredicateOrigin {
        PredicateOrigin(subject: subject, path: path + keys)
    }
}
