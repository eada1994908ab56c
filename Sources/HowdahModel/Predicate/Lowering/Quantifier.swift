import Foundation

/// The number of members that must satisfy a closure.
///
/// The closure's condition becomes comparisons with ANY or ALL if they can express it. Otherwise it becomes a
/// sub-query.
enum Quantifier {
    case any
    case all

    private var other: Quantifier { self == .any ? .all : .any }

    /// Returns the condition that members satisfy `test`.
    ///
    /// - Throws: `unsupported` if the closure needs more than one comparison on the same member.
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
            do throws(PredicateTreeError) {
                var inner = scope.members(variable)
                return try apply(to: try inner.condition(test), membersAt: keys)
            } catch {
                guard error.code == .unsupported else { throw error }
            }
            let satisfying = try Self.subquery(keys, variable, test, in: scope, isOpposite: self == .all)
            return .comparison(
                lhs: .joined(satisfying, [PredicateTree.Expression.countKey]),
                op: self == .any ? .greaterThan : .equal, rhs: .constant(.int(0)))
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
        case .condition, .computed: break
        }
        throw PredicateTreeError(
            .unsupported,
            "A closure of the #Predicate runs over neither a to-many relationship nor a collection variable. "
                + "Use a to-many relationship or a collection variable.")
    }

    /// Returns the members that satisfy a closure, or its opposite.
    static func subquery<Element>(
        _ keys: [String], _ variable: PredicateExpressions.Variable<Element>,
        _ test: some PredicateExpression, in scope: LoweringScope, isOpposite: Bool = false
    ) throws(PredicateTreeError) -> PredicateTree.Expression {
        var (inner, name) = scope.subquery(variable)
        let condition = try inner.condition(test)
        return .subquery(.path(keys), variable: name, isOpposite ? .opposite(condition) : condition)
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
                lhs: .path(keys + inner), op: op, rhs: rhs, options: options,
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

    /// Returns the error for a condition that ANY and ALL cannot express.
    private func refusal(of node: PredicateTree.Node, _ keys: [String]) -> PredicateTreeError {
        PredicateTreeError(
            .unsupported,
            "The closure over '\(keys.joined(separator: "."))' is more than one comparison with a constant or "
                + "a variable. Reduce the closure to one comparison, or filter after the fetch.",
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
