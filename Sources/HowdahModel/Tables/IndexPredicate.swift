/// The predicate of a partial index as a condition on the columns of one table.
///
/// Comparisons of the entity's own properties with constants and nil, IN, BETWEEN, AND, OR and NOT can be one; they
/// mean in the index what they mean in a fetch.
struct IndexPredicate {
    /// A property that is one column.
    struct Column {
        let name: String
        /// Nil for the key of a relationship.
        let type: AttributeType?
        let isNullable: Bool
        var isCaseInsensitive = false
    }

    /// Why there is no such condition.
    struct Refusal: Error {
        let text: String

        init(text: String) { self.text = text }

        init(_ error: PredicateTreeError) {
            // With its place in a format, the text has no full stop.
            let text = error.description
            self.text = text.hasSuffix(".") ? text : text + "."
        }
    }

    private let root: PredicateTree.Node
    private let column: ([String]) -> Column?

    /// Reads `format`; `column` finds the column that a key path leads to.
    init(_ format: String, column: @escaping ([String]) -> Column?) throws(Refusal) {
        do throws(PredicateTreeError) {
            root = try PredicateTree(format: format).root
        } catch {
            throw Refusal(error)
        }
        self.column = column
    }

    func condition() throws(Refusal) -> StoreSchema.Condition { try condition(root, negated: false) }

    private func condition(
        _ node: PredicateTree.Node, negated: Bool
    ) throws(Refusal) -> StoreSchema.Condition {
        switch node {
        case .constant(let flag): return .constant(flag != negated)
        case .not(let inner): return try condition(inner, negated: !negated)
        case .and(let members), .or(let members):
            let isAnd = if case .and = node { true } else { false }
            var parts: [StoreSchema.Condition] = []
            for member in members { parts.append(try condition(member, negated: negated)) }
            if parts.isEmpty { return .constant(isAnd != negated) }
            return isAnd != negated ? .conjunction(parts) : parts.count == 1 ? parts[0] : .or(parts)
        case .invalid(let error): throw Refusal(error)
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            guard options.isEmpty || options == .normalized, modifier == .direct else {
                throw Refusal(
                    text: "An index cannot evaluate [c], [d], [l], ANY, ALL and NONE. "
                        + "Compare an attribute of the entity without them.")
            }
            return try comparison(
                lhs, op, rhs, isExact: options.contains(.normalized), negated: negated)
        }
    }

    private func comparison(
        _ lhs: PredicateTree.Expression, _ op: PredicateTree.Operator, _ rhs: PredicateTree.Expression,
        isExact: Bool, negated: Bool
    ) throws(Refusal) -> StoreSchema.Condition {
        switch (lhs, rhs) {
        case (.keyPath(let path), .constant(let value)) where !isExact && !value.isNull,
            (.constant(let value), .keyPath(let path)) where !isExact && !value.isNull:
            try checkCase(of: path)
        case (.keyPath(let path), .collection) where !isExact: try checkCase(of: path)
        default: break
        }
        switch (lhs, rhs) {
        case (.keyPath(let path), .constant(let value)):
            return try compare(try found(path), op, value, negated: negated)
        case (.constant(let value), .keyPath(let path)):
            return try compare(try found(path), try mirrored(op), value, negated: negated)
        case (.keyPath(let path), .collection(let values)):
            return try compare(try found(path), op, values, negated: negated)
        default:
            throw Refusal(
                text: "Each comparison must have a property on one side and a constant on the "
                    + "other.")
        }
    }

    /// A condition of an index compares texts as they are.
    private func checkCase(of path: [String]) throws(Refusal) {
        guard column(path)?.isCaseInsensitive ?? false else { return }
        throw Refusal(
            text:
                "\(path.joined(separator: ".")) is compared without regard to case, but an index cannot do "
                + "this. Compare \(path.joined(separator: ".")) exactly, with [n] after the operator.")
    }

    private func found(_ path: [String]) throws(Refusal) -> Column {
        if let column = column(path) { return column }
        throw Refusal(
            text:
                "\(path.joined(separator: ".")) is not a column of the entity's own table. Use an attribute or a to-one relationship that the entity stores itself."
        )
    }

    private func mirrored(_ op: PredicateTree.Operator) throws(Refusal) -> PredicateTree.Operator {
        switch op {
        case .equal, .notEqual: return op
        case .lessThan: return .greaterThan
        case .lessThanOrEqual: return .greaterThanOrEqual
        case .greaterThan: return .lessThan
        case .greaterThanOrEqual: return .lessThanOrEqual
        default: throw Self.refusal(of: op)
        }
    }

    private func compare(
        _ column: Column, _ op: PredicateTree.Operator, _ value: Value, negated: Bool
    ) throws(Refusal) -> StoreSchema.Condition {
        if value.isNull {
            switch op {
            case .equal, .notEqual:
                let isNull = negated == (op == .notEqual)
                return isNull ? .isNull(column: column.name) : .isNotNull(column: column.name)
            case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: return .constant(negated)
            default: throw Self.refusal(of: op)
            }
        }
        let value = try constant(value, of: column)
        switch op {
        case .equal, .notEqual:
            if negated == (op == .notEqual) { return .compares(column: column.name, .equal, value) }
            return .compares(column: column.name, column.isNullable ? .distinct : .notEqual, value)
        case .lessThan: return opposed(.compares(column: column.name, .less, value), column, negated)
        case .greaterThan: return opposed(.compares(column: column.name, .greater, value), column, negated)
        case .lessThanOrEqual: return opposed(.isAtMost(column: column.name, value), column, negated)
        case .greaterThanOrEqual: return opposed(.isAtLeast(column: column.name, value), column, negated)
        default: throw Self.refusal(of: op)
        }
    }

    private func compare(
        _ column: Column, _ op: PredicateTree.Operator, _ values: [Value], negated: Bool
    ) throws(Refusal) -> StoreSchema.Condition {
        var present: [Value] = []
        for value in values where !value.isNull { present.append(try constant(value, of: column)) }
        let hasNil = present.count < values.count
        switch op {
        case .between where values.count == 2:
            if hasNil { return .constant(negated) }
            let range: [StoreSchema.Condition] = [
                .isAtLeast(column: column.name, present[0]), .isAtMost(column: column.name, present[1]),
            ]
            return opposed(.and(range), column, negated)
        case .in:
            if present.isEmpty, !hasNil { return .constant(negated) }
            let isNull = StoreSchema.Condition.isNull(column: column.name)
            if present.isEmpty { return negated ? .isNotNull(column: column.name) : isNull }
            let isMember = StoreSchema.Condition.isIn(column: column.name, present)
            return opposed(hasNil ? .or([isMember, isNull]) : isMember, column, negated)
        default: throw Self.refusal(of: op)
        }
    }

    private func opposed(
        _ condition: StoreSchema.Condition, _ column: Column, _ negated: Bool
    ) -> StoreSchema.Condition {
        negated ? column.isNullable ? .isNotTrue(condition) : .not(condition) : condition
    }

    private func constant(_ value: Value, of column: Column) throws(Refusal) -> Value {
        guard let type = column.type else {
            throw Refusal(text: "A relationship can be compared only with nil.")
        }
        var value = value
        switch (type.kind, value) {
        case (.boolean, .int(let number)) where number == 0 || number == 1: value = .bool(number == 1)
        case (.integer16, .bool(let flag)), (.integer32, .bool(let flag)), (.integer64, .bool(let flag)):
            value = .int(flag ? 1 : 0)
        default: value = type.coerced(value)
        }
        guard type.accepts(value) else {
            throw Refusal(text: "\(column.name) is compared with a value that is not of type \(type.name).")
        }
        return value.normalized
    }

    private static func refusal(of op: PredicateTree.Operator) -> Refusal {
        Refusal(
            text: "An index cannot evaluate this comparison with \(op.rawValue). "
                + "Compare an attribute with a constant by an operator such as == or <.")
    }
}
