/// What a sub-expression of `#Predicate` comes to.
indirect enum LoweredValue {
    /// The same for every object: captured, or computed of captured values. May hold a nil.
    case constant(Any)
    /// What lies at the end of these names, nil where something on the way is; without names, the object itself. A first
    /// name with a dollar sign is the member that a sub-query looks at.
    case path([String])
    /// A value that is computed; nil where there is no result.
    case computed(PredicateTree.Expression)
    /// A Boolean that is computed.
    case condition(Truth)
    /// The first value where the condition holds, the second elsewhere.
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

    /// The captured value, or nil where it is a nil or none.
    func captured<T>(as type: T.Type = T.self) -> T? {
        if case .constant(let value) = self { value as? T } else { nil }
    }
}

extension PredicateTree.Expression {
    /// The operand for names from the object, or from the member of a sub-query.
    static func path(_ keys: [String]) -> Self {
        guard let variable = keys.first, variable.hasPrefix("$") else {
            return .joined(.evaluatedObject, keys)
        }
        return .joined(.variable(String(variable.dropFirst())), Array(keys.dropFirst()))
    }

    /// The names that ``path(_:)`` made the operand of; nil where it is another one.
    var pathKeys: [String]? {
        switch self {
        case .keyPath(let keys): keys
        case .variable(let name): ["$" + name]
        case .path(.variable(let name), let keys): ["$" + name] + keys
        default: nil
        }
    }
}
