extension PredicateTree {
    /// All operands of the condition, in order, each before its nested operands.
    ///
    /// ```swift
    /// for case .keyPath(let path) in predicate.operands { print(path) }
    /// ```
    public var operands: [Operand] {
        switch kind {
        case .comparison(let comparison): comparison.left.all + comparison.right.all
        case .compound(_, let members): members.flatMap(\.operands)
        case .constant, .invalid: []
        }
    }

    /// Returns the same condition with each operand replaced by the result of `transform`.
    ///
    /// Nested operands are replaced first, so `transform` receives each operand with its parts replaced.
    ///
    /// - Throws: The error of `transform`; `PredicateTreeError` for an operand that does not suit its place.
    public func mapOperands(_ transform: (Operand) throws -> Operand) throws -> PredicateTree {
        switch kind {
        case .comparison(var comparison):
            comparison.left = try comparison.left.mapped(transform)
            comparison.right = try comparison.right.mapped(transform)
            return try PredicateTree(comparison)
        case .compound(let type, let members):
            return try PredicateTree(kind: .compound(type, members.map { try $0.mapOperands(transform) }))
        case .constant: return self
        case .invalid(let error): throw error
        }
    }
}

extension PredicateTree.Operand {
    /// The operand, then its nested operands.
    fileprivate var all: [Self] { [self] + inner }

    private var inner: [Self] {
        switch self {
        case .keyPath, .constant, .evaluatedObject, .variable: []
        case .aggregate(let members), .function(_, let members): members.flatMap(\.all)
        case .cast(let inner, _), .member(let inner, _), .element(let inner, _): inner.all
        case .conditional(let test, let a, let b): test.operands + a.all + b.all
        case .subquery(let members, _, let condition): members.all + condition.operands
        case .set(_, let a, let b): a.all + b.all
        case .call(let target, _, let operands): target.all + operands.flatMap(\.all)
        }
    }

    fileprivate func mapped(_ transform: (Self) throws -> Self) throws -> Self {
        func map(_ operand: Self) throws -> Self { try operand.mapped(transform) }
        let inner: Self =
            switch self {
            case .keyPath, .constant, .evaluatedObject, .variable: self
            case .aggregate(let members): .aggregate(try members.map(map))
            case .function(let name, let operands): .function(name, try operands.map(map))
            case .cast(let inner, let type): .cast(try map(inner), type: type)
            case .member(let base, let path): .member(of: try map(base), keyPath: path)
            case .element(let base, let position): .element(of: try map(base), position)
            case .conditional(let test, let a, let b):
                .conditional(try test.mapOperands(transform), try map(a), try map(b))
            case .subquery(let members, let variable, let condition):
                .subquery(try map(members), variable: variable, try condition.mapOperands(transform))
            case .set(let op, let a, let b): .set(op, try map(a), try map(b))
            case .call(let target, let selector, let operands):
                .call(try map(target), selector: selector, try operands.map(map))
            }
        return try transform(inner)
    }
}
