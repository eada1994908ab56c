import Foundation

/// How many members must satisfy a closure: turns the closure's condition into comparisons with ANY or ALL.
enum Quantifier {
    case any
    case all

    private var other: Quantifier { self == .any ? .all : .any }

    /// The condition that members satisfy `test`.
    ///
    /// - Throws: `unsupported` where the closure needs more than one comparison on the same member.
    func lower<Element>(
        _ sequence: some PredicateExpression, _ variable: PredicateExpressions.Variable<Element>,
        _ test: some PredicateExpression, in scope: inout LoweringScope
    ) throws(PredicateTreeError) -> PredicateTree.Node {
        try lower(try scope.lower(sequence), variable, test, in: &scope)
    }

    private func lower<Element>(
        _ sequence: LoweredValue, _ variable: PredicateExpressions.Variable<Element>,
        _ test: some PredicateExpression, in scope: inout LoweringScope
    ) throws(PredicateTreeError) -> PredicateTree.Node {
        switch sequence {
        case .path(let keys):
            var inner = scope.members(variable)
            return try apply(to: try inner.condition(test), membersAt: keys)
        case .choice(let condition, let a, let b):
            let then = try lower(a, variable, test, in: &scope)
            return .conditional(condition, then, otherwise: try lower(b, variable, test, in: &scope))
        case .constant(let value):
            guard let members = value as? any Sequence else { break }
            var conditions: [PredicateTree.Node] = []
            for member in members {
                scope.bind(variable, to: .constant(member))
                switch try scope.condition(test) {
                case .constant(let holds) where holds == (self == .any): return .constant(holds)
                case .constant: continue
                case let condition: conditions.append(condition)
                }
                guard conditions.count <= PredicateTree.Limit.terms else { throw .tooLarge() }
            }
            return self == .any ? .any(conditions) : .all(conditions)
        case .condition: break
        }
        throw PredicateTreeError(
            .unsupported, "A closure over elements needs a to-many relationship or a captured collection.")
    }

    private func apply(
        to node: PredicateTree.Node, membersAt keys: [String]
    ) throws(PredicateTreeError) -> PredicateTree.Node {
        switch node {
        case .constant(let holds):
            if holds == (self == .all) { return node }
            let count = LoweredValue.path(keys + [PredicateTree.Expression.countKey])
            return try count.compared(self == .any ? .greaterThan : .equal, .constant(0))
        case .not(let inner): return .opposite(try other.apply(to: inner, membersAt: keys))
        case .or(let members) where self == .any: return .any(try members.map(each(keys)))
        case .and(let members) where self == .all: return .all(try members.map(each(keys)))
        case .comparison(let lhs, let op, let rhs, let options, .direct):
            guard rhs.isFixed else { break }
            let inner: [String]
            switch lhs {
            case .keyPath(let path): inner = path
            case .evaluatedObject: inner = []
            default: throw refusal(of: node, keys)
            }
            return .comparison(
                lhs: .keyPath(keys + inner), op: op, rhs: rhs, options: options,
                modifier: self == .any ? .any : .all)
        case .comparison, .or, .and, .invalid: break
        }
        throw refusal(of: node, keys)
    }

    private func each(
        _ keys: [String]
    ) -> (PredicateTree.Node) throws(PredicateTreeError) -> PredicateTree.Node {
        { (node) throws(PredicateTreeError) in try apply(to: node, membersAt: keys) }
    }

    private func refusal(of node: PredicateTree.Node, _ keys: [String]) -> PredicateTreeError {
        let members = keys.joined(separator: ".")
        let reason =
            switch node {
            case .and: "with '&&' in it"
            case .or: "with '||' in it"
            case .comparison(_, _, _, _, .any), .comparison(_, _, _, _, .all): "with another one in it"
            default: "that compares a member with anything but a captured value"
            }
        return PredicateTreeError(
            .unsupported,
            "The database cannot yet run a closure over '\(members)' \(reason); compare one property of the member "
                + "with one captured value, or fetch the members' entity.",
            token: "SequenceContainsWhere")
    }
}

extension PredicateTree.Expression {
    fileprivate var isFixed: Bool {
        switch self {
        case .constant, .collection: true
        default: false
        }
    }
}
