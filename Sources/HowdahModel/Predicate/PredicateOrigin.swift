/// Where a collection comes from.
struct PredicateOrigin {
    let subject: any PredicateSubject
    let path: [String]

    func zero(at keys: [String]) -> Value? {
        let names = (path + keys).filter { PredicateTree.KeyPathOperator(rawValue: $0) == nil }
        return subject.predicatePlace(at: names)?.zero
    }

    func following(_ keys: [String]) -> PredicateOrigin {
        PredicateOrigin(subject: subject, path: path + keys)
    }
}
