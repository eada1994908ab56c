extension PredicateSubject {
    /// What SELF, or a to-one relationship to the object, is compared as.
    var predicateValue: Value { predicateIdentity.map { .reference($0) } ?? .composite([]) }

    /// The values at the end of a key path; several where it crosses a to-many relationship.
    ///
    /// A missing object on the way gives nil for what lies behind it, once per object it was missing on. Told beside
    /// them is whether they are compared without regard to case.
    func predicateValues(
        at keys: [String]
    ) throws(PredicateTreeError) -> (PreparedComparison.Values, isCaseInsensitive: Bool) {
        let counts = keys.last == PredicateTree.Expression.countKey
        let steps = counts ? keys.dropLast() : keys[...]
        var owners: [(any PredicateSubject)?] = [self]
        var crossesToMany = false
        var isMissing = false
        var isCaseInsensitive = false
        var values: [Value] = []
        var array: [Value]??
        for (index, key) in steps.enumerated() {
            let isLast = index == steps.count - 1
            var next: [(any PredicateSubject)?] = []
            for owner in owners {
                switch try owner.map({ (owner) throws(PredicateTreeError) in try owner.operand(key) }) {
                case nil:
                    isMissing = true
                    isLast ? values.append(.null) : next.append(nil)
                case .value(let value) where isLast && !counts: values.append(value)
                case .caseInsensitive(let value) where isLast && !counts:
                    isCaseInsensitive = true
                    values.append(value)
                case .value(.null) where !isLast, .caseInsensitive(.null) where !isLast: next.append(nil)
                case .array(let elements) where isLast && counts:
                    values.append(elements.map { .int(Int64($0.count)) } ?? .null)
                case .array(let elements) where isLast:
                    array = .some(elements)
                    values.append(.array(elements ?? []))
                case .document(let document) where !isLast: next.append(document)
                case .document(let document) where !counts: values.append(document.value)
                case .one(let object) where isLast && !counts: values.append(object?.predicateValue ?? .null)
                case .one(let object) where !isLast: next.append(object)
                case .many(let objects) where isLast && counts: values.append(.int(Int64(objects.count)))
                case .many(let objects):
                    crossesToMany = true
                    if isLast { values += objects.map(\.predicateValue) } else { next += objects }
                case .value, .caseInsensitive, .one, .array, .document:
                    throw PredicateTreeError(
                        .invalidOperand,
                        isLast
                            ? "@count needs a to-many relationship or an array, and \(key) is none."
                            : "\(key) is an attribute; nothing can follow it in a key path.", token: key)
                }
            }
            owners = next
        }
        if crossesToMany {
            // An array behind a missing object has no elements, as a nil one.
            let members = array == nil ? values : values.map { $0.isNull ? .array([]) : $0 }
            return (.many(members), isCaseInsensitive)
        }
        if let array { return (.array(array), false) }
        return (isMissing ? .missing : .one(values.first ?? .null), isCaseInsensitive)
    }

    private func operand(_ key: String) throws(PredicateTreeError) -> PredicateOperand {
        if let operand = predicateOperand(forKey: key) { return operand }
        throw PredicateTreeError(.unknownKey, "The object has no property \(key).", token: key)
    }
}
