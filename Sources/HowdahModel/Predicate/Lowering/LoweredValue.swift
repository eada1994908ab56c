/// What a sub-expression of `#Predicate` comes to.
indirect enum LoweredValue {
    /// The same for every object: captured, or computed of captured values. May hold a nil.
    case constant(Any)
    /// What lies at the end of these names, nil where something on the way is; without names, the object itself.
    case path([String])
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
    /// The operand for names from the object.
    static func path(_ keys: [String]) -> Self { keys.isEmpty ? .evaluatedObject : .keyPath(keys) }
}
