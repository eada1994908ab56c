extension PredicateTree {
    /// All key paths of the condition, in order, as their names.
    ///
    /// Compare them with a list before you run a predicate that a client sent. Those of members in sub-queries are
    /// complete paths from the object, the object itself is an empty path, and operators such as `@count` are names.
    public var keyPaths: [[String]] { root.keyPaths(members: [:]) }
}

extension PredicateTree.Node {
    /// - Parameter members: The key paths of the variables of the sub-queries around this.
    fileprivate func keyPaths(members: [String: [[String]]]) -> [[String]] {
        switch self {
        case .comparison(let lhs, _, let rhs, _, _):
            lhs.keyPaths(members: members) + rhs.keyPaths(members: members)
        case .and(let inner), .or(let inner): inner.flatMap { $0.keyPaths(members: members) }
        case .not(let inner): inner.keyPaths(members: members)
        case .constant, .invalid: []
        }
    }
}

extension PredicateTree.Expression {
    fileprivate func keyPaths(members: [String: [[String]]]) -> [[String]] {
        let (leads, read) = self.leads(members: members)
        return leads + read
    }

    /// Returns the key paths of the operand itself, and those that are read to find it.
    private func leads(members: [String: [[String]]]) -> (leads: [[String]], read: [[String]]) {
        switch self {
        case .keyPath(let path): return ([path], [])
        case .evaluatedObject: return ([[]], [])
        case .constant, .collection: return ([], [])
        case .variable(let name): return (members[name] ?? [], [])
        case .path(let base, let keys):
            let (leads, read) = base.leads(members: members)
            return (leads.map { $0 + keys }, read)
        case .element(let base, _): return base.leads(members: members)
        case .subquery(let collection, let variable, let condition):
            let (leads, read) = collection.leads(members: members)
            var inner = members
            inner[variable] = leads
            return (leads, read + condition.keyPaths(members: inner))
        case .conditional(let test, let a, let b):
            let (first, second) = (a.leads(members: members), b.leads(members: members))
            return (first.leads + second.leads, test.keyPaths(members: members) + first.read + second.read)
        case .set(_, let a, let b):
            let (first, second) = (a.leads(members: members), b.leads(members: members))
            return (first.leads + second.leads, first.read + second.read)
        case .function(_, let operands), .aggregate(let operands):
            return ([], operands.flatMap { $0.keyPaths(members: members) })
        case .call(let target, _, let operands):
            return ([], ([target] + operands).flatMap { $0.keyPaths(members: members) })
        case .cast(let inner, _): return ([], inner.keyPaths(members: members))
        }
    }
}

extension PredicateTree {
    /// A Boolean value that indicates whether the condition uses a position in an ordered collection.
    package var readsPositions: Bool { root.readsPositions }
}

extension PredicateTree.Node {
    fileprivate var readsPositions: Bool {
        switch self {
        case .comparison(let lhs, _, let rhs, _, _): lhs.readsPositions || rhs.readsPositions
        case .and(let inner), .or(let inner): inner.contains { $0.readsPositions }
        case .not(let inner): inner.readsPositions
        case .constant, .invalid: false
        }
    }
}

extension PredicateTree.Expression {
    fileprivate var readsPositions: Bool {
        if case .element = self { return true }
        let (operands, condition) = parts
        if let condition, condition.readsPositions { return true }
        return operands.contains { $0.readsPositions }
    }
}
