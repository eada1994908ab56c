/// The counterpart of a sub-expression of `#Predicate`.
indirect enum LoweredValue {
    /// A value that is the same for every object: captured, or computed of captured values. It may be nil.
    case constant(Any)
    /// The value at the end of these names; nil if an object on the way is nil.
    ///
    /// Without names, it is the object itself. If the first name has a dollar sign, it is the member of a
    /// sub-query.
    case path([String])
    /// A computed value; nil if it has no result.
    case computed(PredicateTree.Expression)
    /// A computed Boolean.
    case condition(Truth)
    /// The first value if the condition holds, and otherwise the second.
    case choice(PredicateTree.Node, LoweredValue, LoweredValue)

    /// An optional Boolean by the two conditions under which it is true and under which it is nil.
    struct Truth {
        var holds: PredicateTree.Node
        var isNil = PredicateTree.Node.constant(false)
        var fails: PredicateTree.Node { .both(.opposite(holds), .opposite(isNil)) }
    }
}

extension LoweredValue {
    static func condition(_ node: PredicateTree.Node) -> LoweredValue { .condition(Truth(holds: node)) }

    static var null: LoweredValue { .constant(Never?.none as Any) }

    /// Returns the captured value; nil if it is nil, or if this is not a captured value.
    func captured<T>(as type: T.Type = T.self) -> T? {
        if case .constant(let value) = self { value as? T } else { nil }
    }
}

extension PredicateTree.Expression {
    /// Returns the operand for names from the object, or from the member of a sub-query.
    static func path(_ keys: [String]) -> Self {
        guard let variable = keys.first, variable.hasPrefix("$") else {
            return .joined(.evaluatedObject, keys)
        }
        return .joined(.variable(String(variable.dropFirst())), Array(keys.dropFirst()))
    }

    /// The names from which ``path(_:)`` made the operand; nil for another operand.
    var pathKeys: [String]? {
        switch self {
        case .keyPath(let keys): keys
        case .variable(let name): ["$" + name]
        case .path(.variable(let name), let keys): ["$" + name] + keys
        default: nil
        }
    }
}
