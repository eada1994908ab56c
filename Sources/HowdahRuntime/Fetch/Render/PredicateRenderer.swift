package import HowdahModel
package import PQClient

/// Renders a predicate as a WHERE condition in two-valued logic.
///
/// NULL counts as false. NOT is moved down to the comparisons, and only there has a NULL-safe form, so that
/// positive comparisons keep their indexes. The text depends only on the shape of the predicate; every value
/// is a parameter.
package struct PredicateRenderer {
    let resolver: KeyPathResolver
    package var parameters: Parameters
    /// The members of the variables of sub-queries.
    var members: [String: SQLScope] = [:]
    /// The values that became parameters of their own, in order, and what they are compared with.
    private(set) var bindings: [Binding] = []
    /// The present comparison, for messages.
    private var written: (lhs: PredicateTree.Expression, rhs: PredicateTree.Expression)?
    /// The comparisons around that one, in whose sub-queries it is.
    private var nesting = 0

    mutating func note(_ binding: Binding) { bindings.append(binding) }

    package init(resolver: KeyPathResolver, parameters: Parameters) {
        self.resolver = resolver
        self.parameters = parameters
    }

    /// The key path of the present comparison.
    var place: String {
        let paths = written.map { PredicateTree(.comparison(lhs: $0.lhs, op: .equal, rhs: $0.rhs)).keyPaths }
        return paths?.first { !$0.isEmpty }?.joined(separator: ".") ?? "SELF"
    }

    package mutating func condition(
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
        /// The quantifier for the elements of an array after a to-many relationship.
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
        let outer = written
        written = (lhs, rhs)
        nesting += 1
        defer { (written, nesting) = (outer, nesting - 1) }
        guard nesting <= SQLScope.joinLimit || scope.tableCount <= SQLScope.joinLimit else {
            throw FetchError(
                .invalidRequest,
                "The request nests more than \(SQLScope.joinLimit) sub-queries. Split it into several requests."
            )
        }
        do {
            return try sides(lhs, rhs, comparison, in: scope, negated: negated)
        } catch let error as PredicateTreeError where error.code == .unknownKey {
            // Behind a to-many step only the rest of the path is known where the name is looked up.
            let tree = PredicateTree(.comparison(lhs: lhs, op: comparison.op, rhs: rhs))
            throw error.naming(tree.keyPaths)
        }
    }

    private mutating func sides(
        _ lhs: PredicateTree.Expression, _ rhs: PredicateTree.Expression, _ comparison: Comparison,
        in scope: SQLScope, negated: Bool
    ) throws -> String {
        guard !comparison.options.contains(.localeSensitive) else {
            throw PredicateTreeError(
                .unsupported,
                "The database cannot compare with [l]. Compare with [c], [d] or [cd], or compare exact strings."
            )
        }
        if comparison.modifier == .direct,
            let isThere = Self.existence(lhs, comparison.op, rhs), case .path(let base, _) = lhs,
            case .members(let source) = try outcome(base, in: scope)
        {
            let open = try open(source)
            return (isThere == negated ? "NOT " : "") + open.exists()
        }
        switch try outcome(lhs, in: scope) {
        case .members(let source):
            return try quantified(source, rhs, comparison, in: scope, negated: negated)
        case .operand(.list(let members)) where comparison.modifier != .direct:
            return try quantified(.list(members), rhs, comparison, in: scope, negated: negated)
        case .operand(.collection(let values)) where comparison.modifier != .direct:
            let members = MemberSource.list(values.map { .constant($0) })
            return try quantified(members, rhs, comparison, in: scope, negated: negated)
        case .operand(let left):
            return try compared(left, rhs, comparison, in: scope, negated: negated)
        }
    }

    /// Returns the answer for which a comparison of a sub-query's count only tests if there are members; nil
    /// for others.
    private static func existence(
        _ lhs: PredicateTree.Expression, _ op: PredicateTree.Operator, _ rhs: PredicateTree.Expression
    ) -> Bool? {
        guard case .path(.subquery, [PredicateTree.Expression.countKey]) = lhs,
            case .constant(.int(let number)) = rhs
        else { return nil }
        return switch (op, number) {
        case (.greaterThan, 0), (.greaterThanOrEqual, 1), (.notEqual, 0): true
        case (.equal, 0), (.lessThan, 1), (.lessThanOrEqual, 0): false
        default: nil
        }
    }

    /// Renders the comparison of an operand with the value of `rhs` in `scope`.
    private mutating func compared(
        _ left: ResolvedOperand, _ rhs: PredicateTree.Expression, _ comparison: Comparison,
        in scope: SQLScope, negated: Bool
    ) throws -> String {
        if case .column(let column) = left, let element = column.type.element {
            return try array(column, of: element, rhs, comparison, in: scope, negated: negated)
        }
        guard comparison.modifier == .direct else {
            throw PredicateTreeError(
                .invalidOperand,
                "The left-hand side of \(comparison.modifier.rawValue) is not a to-many relationship or an array. "
                    + "Remove \(comparison.modifier.rawValue)."
            )
        }
        switch try outcome(rhs, in: scope) {
        case .operand(.column(let column)) where column.type.element != nil && comparison.op == .in:
            return try member(left, of: column, comparison.options, negated: negated)
        case .operand(let right):
            return try compare(left, comparison.op, right, comparison.options, negated: negated)
        case .members(let source):
            guard comparison.op == .in else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "\(rhs.spelled ?? "\(source)") is to-many. Move it to the left-hand side of the comparison, after "
                        + "ANY, ALL or NONE."
                )
            }
            let open = try open(source)
            var condition: String
            if case .column(let column) = open.value, column.type.element != nil {
                condition = try member(left, of: column, comparison.options, negated: false)
            } else if left.isConstant {
                condition = try compare(open.value, .equal, left, comparison.options, negated: false)
            } else {
                condition = try compare(left, .equal, open.value, comparison.options, negated: false)
            }
            condition = open.exists(condition)
            return negated ? "NOT \(condition)" : condition
        }
    }

    package mutating func outcome(
        _ expression: PredicateTree.Expression, in scope: SQLScope
    ) throws -> KeyPathResolver.Outcome {
        switch expression {
        case .keyPath(let path): return try keyPath(path[...], in: scope)
        case .evaluatedObject: return try resolver.resolve([], in: scope)
        case .constant(let value): return .operand(.constant(value))
        case .collection(let values): return .operand(.collection(values))
        case .variable(let name):
            if let member = members[name] { return try resolver.resolve([], in: member) }
            throw PredicateTreeError(
                .unboundVariable,
                "The variable $\(name) has no value. Set $\(name) with withSubstitutionVariables."
            )
        case .aggregate(let members):
            var operands: [ResolvedOperand] = []
            for member in members {
                guard case .operand(let operand) = try outcome(member, in: scope) else {
                    throw PredicateTreeError(
                        .invalidOperand,
                        "A member of a collection { } is to-many, and each member must be a single value. Combine "
                            + "to-many relationships with UNION."
                    )
                }
                operands.append(operand)
            }
            return .operand(.list(operands))
        case .function(.noIndex, let operands) where operands.count == 1:
            return try outcome(operands[0], in: scope)
        case .function(let function, let operands):
            if let value = try expression.constantValue() { return .operand(.constant(value)) }
            guard function.isAggregate else {
                return .operand(try self.function(function, operands, in: scope))
            }
            return .operand(try gathered(function, try source(operands[0], in: scope)))
        case .cast(let operand, let type):
            if let value = try expression.constantValue() { return .operand(.constant(value)) }
            return .operand(try cast(operand, to: type, in: scope))
        case .conditional(let test, let a, let b):
            return .operand(try conditional(test, a, b, in: scope))
        case .path(let base, let keys): return try path(base, keys, in: scope)
        case .subquery(let members, let variable, let condition):
            return .members(
                .subquery(try source(members, in: scope), variable: variable, condition, in: scope))
        case .element(let base, let position): return .operand(try element(base, position, [], in: scope))
        case .set(let op, let a, let b):
            return .members(.set(op, try source(a, in: scope), try source(b, in: scope), in: scope))
        case .call(_, let selector, _): throw PredicateTreeError.callOutsideMappingModel(selector)
        }
    }

    /// Renders a quantifier: ANY becomes EXISTS, NONE its opposite, ALL "none that fails".
    private mutating func quantified(
        _ source: MemberSource, _ rhs: PredicateTree.Expression, _ comparison: Comparison,
        in scope: SQLScope, negated: Bool
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
                let name = written?.lhs.spelled ?? "\(source)"
                throw PredicateTreeError(
                    .invalidOperand, "\(name) is to-many. Write ANY, ALL or NONE before it.")
            }
            comparison.op = .equal
        }
        comparison.elementModifier = comparison.modifier == .all ? .all : .any
        comparison.modifier = .direct
        let open = try open(source)
        let exists = open.exists(
            try compared(open.value, rhs, comparison, in: scope, negated: fails))
        return none != negated ? "NOT \(exists)" : exists
    }
}

extension PredicateTree.Expression {
    /// The key path in its original spelling; nil if the operand is not one.
    fileprivate var spelled: String? {
        if case .keyPath(let keys) = self { keys.joined(separator: ".") } else { nil }
    }
}
