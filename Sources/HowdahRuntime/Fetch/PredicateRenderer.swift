import HowdahModel
import PQClient

/// Writes a predicate as a WHERE condition in two-valued logic: NULL counts as false, NOT is pushed down to the
/// comparisons, and only there takes a NULL-safe form, so that positive comparisons keep their indexes.
///
/// The text depends on the shape of the predicate alone; every value is a parameter.
struct PredicateRenderer {
    let resolver: KeyPathResolver
    var parameters: Parameters

    mutating func condition(
        _ node: PredicateTree.Node, in scope: SQLScope, negated: Bool = false
    ) throws -> String {
        switch node {
        case .constant(let flag): return flag != negated ? "TRUE" : "FALSE"
        case .not(let inner): return try condition(inner, in: scope, negated: !negated)
        case .and(let members): return try junction(members, negated ? " OR " : " AND ", scope, negated)
        case .or(let members): return try junction(members, negated ? " AND " : " OR ", scope, negated)
        case .invalid(let error): throw error
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            let comparison = Comparison(op: op, options: options, modifier: modifier)
            return try self.comparison(lhs, rhs, comparison, in: scope, negated: negated)
        }
    }

    struct Comparison {
        var op: PredicateTree.Operator
        let options: PredicateTree.Options
        var modifier: PredicateTree.Modifier
        /// How many elements of an array behind a to-many relationship are meant.
        var elementModifier = PredicateTree.Modifier.direct
    }

    private mutating func junction(
        _ members: [PredicateTree.Node], _ separator: String, _ scope: SQLScope, _ negated: Bool
    ) throws -> String {
        var parts: [String] = []
        for member in members { parts.append(try condition(member, in: scope, negated: negated)) }
        if parts.isEmpty { return separator == " AND " ? "TRUE" : "FALSE" }
        return "(" + parts.joined(separator: separator) + ")"
    }

    private mutating func comparison(
        _ lhs: PredicateTree.Expression, _ rhs: PredicateTree.Expression, _ comparison: Comparison,
        in scope: SQLScope, negated: Bool
    ) throws -> String {
        guard !comparison.options.contains(.localeSensitive) else {
            throw PredicateTreeError(
                .unsupported,
                "Comparing with [l] cannot be run by the database; compare with [c], [d] or [cd], or exact strings."
            )
        }
        switch try outcome(lhs, in: scope) {
        case .members(let relationship, let owner, let rest, _):
            return try quantified(
                relationship, owner, rest, rhs, comparison, in: scope, negated: negated)
        case .operand(.column(let column)) where column.type.element != nil:
            return try array(
                column, of: column.type.element ?? column.type, rhs, comparison, in: scope, negated: negated)
        case .operand(let left):
            guard comparison.modifier == .direct else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "\(comparison.modifier.rawValue) needs a to-many relationship or an array on its left; drop the word."
                )
            }
            let right: ResolvedOperand
            switch try outcome(rhs, in: scope) {
            case .operand(.column(let column)) where column.type.element != nil && comparison.op == .in:
                return try member(left, of: column, comparison.options, negated: negated)
            case .operand(let operand): right = operand
            case .members(let relationship, let owner, let rest, _):
                if comparison.op == .in {
                    let turned = Comparison(op: .contains, options: comparison.options, modifier: .direct)
                    return try quantified(relationship, owner, rest, lhs, turned, in: scope, negated: negated)
                }
                throw PredicateTreeError(
                    .invalidOperand,
                    "A to-many relationship stands on the left of a comparison, behind ANY, ALL or NONE.")
            }
            return try compare(left, comparison.op, right, comparison.options, negated: negated)
        }
    }

    func outcome(
        _ expression: PredicateTree.Expression, in scope: SQLScope
    ) throws -> KeyPathResolver.Outcome {
        switch expression {
        case .keyPath(let path) where path.last == PredicateTree.Expression.countKey:
            let counted = try resolver.resolve(path.dropLast(), in: scope)
            if case .operand(.column(let column)) = counted, column.type.element != nil {
                return .operand(
                    .column(
                        ResolvedColumn(
                            sql: "cardinality(\(column.sql))", type: .int4, isNullable: column.isNullable,
                            name: "\(column.name).@count")))
            }
            guard case .members(let relationship, let owner, let rest, let isNullable) = counted else {
                throw PredicateTreeError(
                    .invalidOperand, "@count stands behind a to-many relationship or an array.")
            }
            if !rest.isEmpty {
                // What is counted lies behind another to-many, and belongs to each of its members.
                let counted = rest + [PredicateTree.Expression.countKey]
                return .members(relationship, of: owner, rest: counted, isNullable: isNullable)
            }
            return .operand(.column(try count(relationship, owner, isNullable)))
        case .keyPath(let path): return try resolver.resolve(path[...], in: scope)
        case .evaluatedObject: return try resolver.resolve([], in: scope)
        case .constant(let value): return .operand(.constant(value))
        case .collection(let values): return .operand(.collection(values))
        case .variable(let name):
            throw PredicateTreeError(
                .unboundVariable, "$\(name) has no value; give it one with withSubstitutionVariables.")
        case .aggregate:
            throw PredicateTreeError(
                .unboundVariable,
                "A collection has a variable without a value; use withSubstitutionVariables.")
        }
    }

    private func count(
        _ relationship: RelationshipLayout, _ owner: SQLScope, _ isNullable: Bool
    ) throws -> ResolvedColumn {
        let members = try owner.members(of: relationship)
        let correlation = owner.correlation(of: relationship, members: members)
        let count = "(SELECT count(*)\(members.from)\(correlation.join) WHERE \(correlation.condition))"
        return ResolvedColumn(
            // Where there is no owner there is no number either.
            sql: isNullable ? "(CASE WHEN \(owner.key) IS NOT NULL THEN \(count) END)" : count,
            type: .int8, isNullable: isNullable, name: "\(owner.layout.name).\(relationship.name).@count")
    }

    /// ANY becomes EXISTS, NONE its opposite, ALL "none that fails".
    private mutating func quantified(
        _ relationship: RelationshipLayout, _ owner: SQLScope, _ rest: ArraySlice<String>,
        _ rhs: PredicateTree.Expression, _ comparison: Comparison, in scope: SQLScope, negated: Bool
    ) throws -> String {
        var comparison = comparison
        var fails = false
        var none = false
        switch comparison.modifier {
        case .any: break
        case .none: none = true
        case .all: (fails, none) = (true, true)
        case .direct:
            // `employees CONTAINS %@` and `%@ IN employees` ask for membership without a quantifier.
            guard comparison.op == .contains else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "\(owner.layout.name).\(relationship.name) is to-many; put ANY, ALL or NONE before it.")
            }
            comparison.op = .equal
        }
        switch rhs {
        case .constant, .collection: break
        default:
            throw PredicateTreeError(
                .invalidOperand,
                "ANY, ALL and NONE compare with a value; a key path on the right is not supported yet.")
        }
        let members = try owner.members(of: relationship)
        comparison.elementModifier = comparison.modifier == .all ? .all : .any
        comparison.modifier = .direct
        let path = PredicateTree.Expression.keyPath(Array(rest))
        let left: PredicateTree.Expression = rest.isEmpty ? .evaluatedObject : path
        let inner = try self.comparison(left, rhs, comparison, in: members, negated: fails)
        let correlation = owner.correlation(of: relationship, members: members)
        let exists =
            "EXISTS (SELECT 1\(members.from)\(correlation.join) WHERE \(correlation.condition) AND \(inner))"
        return none != negated ? "NOT \(exists)" : exists
    }
}
