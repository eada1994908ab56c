import HowdahModel
import PQClient

extension PredicateRenderer {
    /// Renders one comparison of two resolved sides.
    mutating func compare(
        _ left: ResolvedOperand, _ op: PredicateTree.Operator, _ right: ResolvedOperand,
        _ options: PredicateTree.Options, negated: Bool
    ) throws -> String {
        switch (left, right) {
        case (_, .list(let members)) where op == .in:
            return try anyOf(members.map { (left, PredicateTree.Operator.equal, $0) }, options, negated)
        case (.list(let members), _) where op == .contains:
            return try anyOf(members.map { ($0, PredicateTree.Operator.equal, right) }, options, negated)
        case (_, .list(let bounds)) where op == .between && bounds.count == 2:
            // The opposite of both is that one is not.
            let bounds = [
                (left, PredicateTree.Operator.greaterThanOrEqual, bounds[0]),
                (left, PredicateTree.Operator.lessThanOrEqual, bounds[1]),
            ]
            return try junction(bounds, negated ? " OR " : " AND ", options, negated)
        case (.constant(let value), .column(let column))
        where [.beginsWith, .endsWith, .like, .matches].contains(op) && column.type == .text:
            guard op != .matches else { break }
            if value.isNull { return negated ? "TRUE" : "FALSE" }
            return try compare(.column(try parameter(value)), op, right, options, negated: negated)
        case (.constant(let a), .constant(let b)):
            return try known(.constant(a), op, .constant(b), options) != negated ? "TRUE" : "FALSE"
        case (.constant(let a), .collection(let b)):
            return try known(.constant(a), op, .collection(b), options) != negated ? "TRUE" : "FALSE"
        default: break
        }
        if case .constant = left, !right.isConstant {
            return try compare(right, try mirrored(op), left, options, negated: negated)
        }
        let isCaseInsensitive = left.isCaseInsensitive || right.isCaseInsensitive
        let options = isCaseInsensitive ? options.ofCaseInsensitive(op) : options
        let (left, right) = (
            left.folded(options, in: resolver.folding),
            right.folded(options, in: resolver.folding)
        )
        switch (left, right) {
        case (.json(let column, let path), .constant(let value)):
            return try json(column, path, op, [value], options, negated: negated)
        case (.json(let column, let path), .collection(let values)) where op == .in:
            return try jsonEquals(column, path, values, options, negated: negated)
        case (.json(let column, let path), .collection(let values)):
            return try json(column, path, op, values, options, negated: negated)
        case (.column(let column), .constant(let value)) where op == .matches:
            return try matches(column, value, options, negated: negated)
        case (.column(let column), .constant(let value)):
            return try compare(column, op, value, negated: negated)
        case (.column(let column), .collection(let values)):
            return try compare(column, op, values, negated: negated)
        case (.column(let a), .column(let b)):
            return try pair(a, op, b, negated: negated)
        case (.object, .constant(let value)) where op == .in:
            // A collection that is nil has no members, not even nil.
            guard value.isNull else {
                throw PredicateTreeError(
                    .argumentType,
                    "The right-hand side of IN is one \(value.kindName). Use a collection of objects, or use ==."
                )
            }
            return negated ? "TRUE" : "FALSE"
        case (.object(let sql, let entity, let isNullable), .constant(let value)):
            return try object(sql, entity, isNullable, op, [value], negated: negated)
        case (.object(let sql, let entity, let isNullable), .collection(let values)) where op == .in:
            return try object(sql, entity, isNullable, op, values, negated: negated)
        case (.object(let a, _, let aNull), .object(let b, _, let bNull))
        where op == .equal || op == .notEqual:
            return equality(a, b, bothNullable: aNull && bNull, negated: negated != (op == .notEqual))
        case (.composite(let columns), .constant(let value)) where op == .equal || op == .notEqual:
            return try composite(columns, value, options, negated: negated != (op == .notEqual))
        default:
            throw PredicateTreeError(
                .invalidOperand,
                "The two sides of \(op.rawValue) cannot be compared with each other. Compare a property with a value."
            )
        }
    }

    /// Returns the result of a comparison of constants.
    private func known(
        _ a: PredicateTree.Expression, _ op: PredicateTree.Operator, _ b: PredicateTree.Expression,
        _ options: PredicateTree.Options
    ) throws -> Bool {
        try PredicateTree(.comparison(lhs: a, op: op, rhs: b, options: options))
            .evaluate(with: JSONDocument.null)
    }

    private typealias Pair = (ResolvedOperand, PredicateTree.Operator, ResolvedOperand)

    private mutating func anyOf(
        _ pairs: [Pair], _ options: PredicateTree.Options, _ negated: Bool
    ) throws -> String {
        if pairs.isEmpty { return negated ? "TRUE" : "FALSE" }
        return try junction(pairs, negated ? " AND " : " OR ", options, negated)
    }

    private mutating func junction(
        _ pairs: [Pair], _ separator: String, _ options: PredicateTree.Options, _ negated: Bool
    ) throws -> String {
        var parts: [String] = []
        for (a, op, b) in pairs {
            let isTurned = a.isConstant && !b.isConstant
            parts.append(
                isTurned
                    ? try compare(b, try mirrored(op), a, options, negated: negated)
                    : try compare(a, op, b, options, negated: negated))
        }
        return "(" + parts.joined(separator: separator) + ")"
    }

    private func mirrored(_ op: PredicateTree.Operator) throws -> PredicateTree.Operator {
        switch op {
        case .equal, .notEqual: op
        case .lessThan: .greaterThan
        case .lessThanOrEqual: .greaterThanOrEqual
        case .greaterThan: .lessThan
        case .greaterThanOrEqual: .lessThanOrEqual
        case .in: .contains
        case .contains: .in
        default:
            throw PredicateTreeError(
                .invalidOperand,
                "\(op.rawValue) needs the property on the left-hand side. Exchange the two sides.")
        }
    }

    private mutating func compare(
        _ column: ResolvedColumn, _ op: PredicateTree.Operator, _ value: Value, negated: Bool
    ) throws -> String {
        switch op {
        case .equal, .notEqual:
            let negated = negated != (op == .notEqual)
            if value.isNull { return negated ? "\(column.sql) IS NOT NULL" : column.isNull }
            let (left, right) = try bind(value, against: column)
            note(.column(column, text: left, parameter: right))
            if !negated { return column.narrowed("\(left) = \(right)", op, right) }
            return column.isNullable ? "\(left) IS DISTINCT FROM \(right)" : "\(left) <> \(right)"
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            if value.isNull { return negated ? "TRUE" : "FALSE" }
            let (left, right) = try bind(value, against: column.ordered)
            note(.column(column.ordered, text: left, parameter: right))
            let condition = "\(left) \(op.rawValue) \(right)"
            if !negated { return column.narrowed(condition, op, right) }
            return isTrue(condition, column.isNullable, negated)
        case .contains, .beginsWith, .endsWith, .like, .in:
            if value.isNull { return negated ? "TRUE" : "FALSE" }
            let condition = try text(column, op, value)
            let place = column.alike("$\(parameters.count)")
            if op == .beginsWith, !negated { return column.narrowed(condition, op, place) }
            if op == .like, !negated, case .string(let pattern) = value, LikePattern.hasPrefix(pattern) {
                return column.narrowed(condition, .beginsWith, LikePattern.prefix(ofSQL: place))
            }
            return isTrue(condition, column.isNullable, negated)
        case .between, .matches:
            throw PredicateTreeError(
                .invalidOperand,
                "The right-hand side of \(op.rawValue) is not a collection. Use two values: {lowest, highest}."
            )
        }
    }

    private mutating func compare(
        _ column: ResolvedColumn, _ op: PredicateTree.Operator, _ values: [Value], negated: Bool
    ) throws -> String {
        if op == .between {
            guard values.count == 2 else {
                throw PredicateTreeError(
                    .invalidOperand,
                    "The right-hand side of BETWEEN does not have exactly two values. Use {lowest, highest}.")
            }
            if values.contains(where: \.isNull) { return negated ? "TRUE" : "FALSE" }
            let (left, low) = try bind(values[0], against: column.ordered)
            let (right, high) = try bind(values[1], against: column.ordered)
            let (lower, upper) = ("\(left) >= \(low)", "\(right) <= \(high)")
            if !negated {
                return
                    "(\(column.narrowed(lower, .greaterThan, low)) AND \(column.narrowed(upper, .lessThan, high)))"
            }
            return isTrue("(\(lower) AND \(upper))", column.isNullable, negated)
        }
        guard op == .in else {
            throw PredicateTreeError(
                .invalidOperand,
                "\(column.name) is compared with a collection by \(op.rawValue). Use a collection only on the "
                    + "right-hand side of IN or BETWEEN."
            )
        }
        let present = values.filter { !$0.isNull }
        var parts = try membership(of: column, in: present, narrowed: !negated)
        if present.count != values.count {
            parts.append(negated ? "\(column.sql) IS NULL" : column.isNull)
        }
        if parts.isEmpty { return negated ? "TRUE" : "FALSE" }
        return isTrue(
            parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " OR ")))", column.isNullable, negated)
    }

    /// Returns a condition that may be NULL, or its opposite in two-valued logic.
    func isTrue(_ condition: String, _ isNullable: Bool, _ negated: Bool) -> String {
        if !negated { return condition }
        return isNullable ? "(\(condition)) IS NOT TRUE" : "NOT (\(condition))"
    }

    private func equality(_ a: String, _ b: String, bothNullable: Bool, negated: Bool) -> String {
        if negated { return "\(a) IS DISTINCT FROM \(b)" }
        return bothNullable ? "\(a) IS NOT DISTINCT FROM \(b)" : "\(a) = \(b)"
    }

    private func pair(
        _ a: ResolvedColumn, _ op: PredicateTree.Operator, _ b: ResolvedColumn, negated: Bool
    ) throws -> String {
        let (left, right) = try widened(a.ordered, b.ordered)
        switch op {
        case .equal, .notEqual:
            return equality(
                left, right, bothNullable: a.isNullable && b.isNullable, negated: negated != (op == .notEqual)
            )
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            return isTrue("\(left) \(op.rawValue) \(right)", a.isNullable || b.isNullable, negated)
        case .contains where a.type == .text && b.type == .text:
            return isTrue("pg_catalog.strpos(\(left), \(right)) > 0", a.isNullable || b.isNullable, negated)
        case .beginsWith where a.type == .text && b.type == .text:
            return isTrue("pg_catalog.starts_with(\(left), \(right))", a.isNullable || b.isNullable, negated)
        case .in where a.type == .text && b.type == .text:
            return isTrue("pg_catalog.strpos(\(right), \(left)) > 0", a.isNullable || b.isNullable, negated)
        case .endsWith where a.type == .text && b.type == .text:
            return isTrue(
                "pg_catalog.right(\(left), pg_catalog.char_length(\(right))) = \(right)",
                a.isNullable || b.isNullable, negated)
        case .like where a.type == .text && b.type == .text:
            return isTrue(
                "\(left) OPERATOR(pg_catalog.~~) \(LikePattern.sql(ofSQL: right))",
                a.isNullable || b.isNullable, negated)
        default:
            throw PredicateTreeError(
                .invalidOperand,
                "\(a.name) and \(b.nameInside) cannot be compared with \(op.rawValue). Compare one of them with a "
                    + "value.",
                isTypeMismatch: a.type != .text || b.type != .text)
        }
    }

    private mutating func object(
        _ sql: String, _ entity: EntityLayout, _ isNullable: Bool, _ op: PredicateTree.Operator,
        _ values: [Value], negated: Bool
    ) throws -> String {
        let negated = negated != (op == .notEqual)
        guard op == .equal || op == .notEqual || op == .in else {
            throw PredicateTreeError(
                .invalidOperand, "Objects cannot be compared with \(op.rawValue). Use ==, != or IN.")
        }
        var keys: [Int64] = []
        var includesNil = false
        // Ids of one collection are nearly always of one entity.
        var fitting: String?
        for value in values {
            switch value {
            case .null: includesNil = true
            case .reference(let reference):
                if fitting != reference.entity { try checkID(of: reference.entity, leadsTo: entity) }
                fitting = reference.entity
                keys.append(reference.key)
            default:
                throw PredicateTreeError(
                    .argumentType,
                    "A relationship to \(entity.name) cannot be compared with \(value.kindName.article) "
                        + "\(value.kindName). Compare it with an ObjectID.")
            }
        }
        if keys.isEmpty {
            guard includesNil else { return negated ? "TRUE" : "FALSE" }
            return "\(sql) IS \(negated ? "NOT " : "")NULL"
        }
        if op != .in, !includesNil {
            parameters.append(keys[0])
            if let fitting { note(.key(entity: fitting)) }
            let place = "$\(parameters.count)"
            if !negated { return "\(sql) = \(place)" }
            return isNullable ? "\(sql) IS DISTINCT FROM \(place)" : "\(sql) <> \(place)"
        }
        parameters.append(keys)
        let member = "\(sql) = ANY($\(parameters.count))"
        return isTrue(includesNil ? "(\(member) OR \(sql) IS NULL)" : member, isNullable, negated)
    }

    /// Checks that an id is not of another hierarchy, which can have the same key and is never the object's.
    private func checkID(of stored: String, leadsTo entity: EntityLayout) throws {
        let layouts = resolver.layouts
        // Ids that were not looked up yet may have an abstract entity.
        let found = layouts.first { $0.storedName == stored }
        if found?.root == entity.root { return }
        let given = found?.name ?? stored
        throw PredicateTreeError(
            .argumentType,
            "\(place) refers to \(entity.name) and is compared with an id of \(given). Use an id of \(entity.name)."
        )
    }

    private mutating func composite(
        _ columns: [ResolvedColumn], _ value: Value, _ options: PredicateTree.Options, negated: Bool
    ) throws -> String {
        let leaves: [Value]
        switch value {
        case .null: leaves = columns.map { _ in .null }
        case .composite: leaves = value.leaves
        default:
            throw PredicateTreeError(
                .argumentType,
                "A composite is compared with another value. Compare it with nil or with a composite.")
        }
        guard leaves.count == columns.count else {
            throw PredicateTreeError(
                .argumentType,
                "The composite in the predicate has other elements than that of \(columns.first?.name ?? ""). Pass a "
                    + "composite with the same elements."
            )
        }
        var parts: [String] = []
        for (column, leaf) in zip(columns, leaves) {
            parts.append(
                try compare(.column(column), .equal, .constant(leaf), options, negated: negated))
        }
        return "(" + parts.joined(separator: negated ? " OR " : " AND ") + ")"
    }
}
