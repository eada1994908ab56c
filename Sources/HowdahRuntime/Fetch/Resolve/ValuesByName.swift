import HowdahModel

/// Evaluates predicates on values that no object has.
struct ValuesByName: PredicateSubject {
    private let values: [String: any Sendable]
    /// The prefix of the names, with its dot.
    private let prefix: String

    init(_ values: [String: any Sendable], below prefix: String = "") {
        self.values = values
        self.prefix = prefix
    }

    /// The reason why the values cannot be compared; nil if they can.
    var error: PredicateTreeError? {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where Self.operand(value) == nil {
            return PredicateTreeError(
                .argumentType,
                "Predicates cannot compare '\(name)', which is a \(type(of: value)). Remove '\(name)', or pass an id "
                    + "or single values instead."
            )
        }
        return nil
    }

    var predicateIdentity: ObjectReference? { nil }

    func predicateOperand(forKey key: String) -> PredicateOperand? {
        let name = prefix + key
        if let value = values[name] { return Self.operand(value) }
        let below = name + "."
        guard values.keys.contains(where: { $0.hasPrefix(below) }) else { return .value(.null) }
        return .one(ValuesByName(values, below: below))
    }

    private static func operand(_ value: any Sendable) -> PredicateOperand? {
        if let values = value as? [String: any Sendable] { return .one(ValuesByName(values)) }
        if let value = Value(predicateArgument: value) { return .value(value) }
        guard let collection = value as? any Collection else { return nil }
        return elements(of: collection).map { .array($0) }
    }

    private static func elements(of collection: some Collection) -> [Value]? {
        var values: [Value] = []
        for element in collection {
            guard let value = Value(predicateArgument: element) else { return nil }
            values.append(value)
        }
        return values
    }
}
