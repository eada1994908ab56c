extension PredicateTree {
    /// A Boolean value that indicates whether the condition reads the time, so that its result changes without a change
    /// of any object.
    package var readsTime: Bool { root.readsTime }
}

extension PredicateTree.Node {
    fileprivate var readsTime: Bool {
        switch self {
        case .comparison(let lhs, _, let rhs, _, _): lhs.readsTime || rhs.readsTime
        case .and(let inner), .or(let inner): inner.contains { $0.readsTime }
        case .not(let inner): inner.readsTime
        case .constant, .invalid: false
        }
    }
}

extension PredicateTree.Expression {
    fileprivate var readsTime: Bool {
        if case .function(.now, _) = self { return true }
        let (operands, condition) = parts
        return condition?.readsTime == true || operands.contains { $0.readsTime }
    }
}
