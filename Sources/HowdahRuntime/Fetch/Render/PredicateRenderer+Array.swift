import Foundation
import HowdahModel
import PQClient

/// Comparisons of array attributes.
///
/// Membership uses `@>` and `&&`, for which GIN indexes work. All other conditions on elements use `unnest`.
extension PredicateRenderer {
    /// Renders a comparison whose left side is an array.
    mutating func array(
        _ column: ResolvedColumn, of element: StoreSchema.ColumnType, _ rhs: PredicateTree.Expression,
        _ comparison: Comparison, in scope: SQLScope, negated: Bool
    ) throws -> String {
        let quantifier = comparison.modifier == .direct ? comparison.elementModifier : comparison.modifier
        if quantifier == .direct {
            return try whole(column, of: element, rhs, comparison, in: scope, negated: negated)
        }
        let isAny = quantifier != .all
        let negated = negated != (quantifier == .none)
        let rhs = try constant(rhs)
        switch (comparison.op, rhs) {
        case (.equal, .constant(let value)) where isAny,
            (.contains, .constant(let value)) where comparison.modifier == .direct:
            return try contains(column, element, value, comparison.options, negated: negated)
        case (.in, .collection(let values))
        where isAny && folding(of: element, comparison.options) == nil:
            let fitting = values.compactMap { element.exact($0) }
            if fitting.isEmpty || fitting.count != values.count { break }
            try parameters.appendArray(of: element.oid, count: fitting.count) { cells in
                for value in fitting { try cells.writeOperand(value, as: element) }
            }
            return isTrue("\(column.sql) && $\(parameters.count)", column.isNullable, negated)
        default: break
        }
        guard case .operand(let right) = try outcome(rhs, in: scope) else {
            throw PredicateTreeError(
                .invalidOperand,
                "The elements of \(column.name) cannot be compared with the values of a to-many. Compare the "
                    + "elements with one value."
            )
        }
        // ALL: there is none that fails.
        return try exists(
            column, element, comparison.op, right, comparison.options, fails: !isAny,
            negated: negated != !isAny)
    }

    /// Returns the value of a function of constants.
    func constant(_ expression: PredicateTree.Expression) throws -> PredicateTree.Expression {
        guard expression.isComputed, let value = try expression.constantValue() else { return expression }
        return .constant(value)
    }

    /// Returns the folding of elements before a comparison; nil if there is none.
    private func folding(
        of element: StoreSchema.ColumnType, _ options: PredicateTree.Options
    ) -> FoldingFunction? {
        element == .text ? FoldingFunction(options, in: resolver.folding) : nil
    }

    /// Renders the whole array: compared with nil or another array, or tested for a member.
    private mutating func whole(
        _ column: ResolvedColumn, of element: StoreSchema.ColumnType, _ rhs: PredicateTree.Expression,
        _ comparison: Comparison, in scope: SQLScope, negated: Bool
    ) throws -> String {
        let differs = negated != (comparison.op == .notEqual)
        let rhs = try constant(rhs)
        switch (comparison.op, rhs) {
        case (.equal, .constant(.null)), (.notEqual, .constant(.null)):
            return "\(column.sql) IS \(differs ? "NOT " : "")NULL"
        case (.equal, .constant(.array(let values))), (.notEqual, .constant(.array(let values))):
            return try equality(column, element, values, comparison.options, negated: differs)
        case (.contains, .constant(let value)):
            return try contains(column, element, value, comparison.options, negated: negated)
        case (.equal, _), (.notEqual, _), (.contains, _):
            guard case .operand(.column(let other)) = try outcome(rhs, in: scope) else { break }
            if comparison.op == .contains {
                return try membership(of: other, in: column, comparison.options, negated: negated)
            }
            guard other.type == column.type else { break }
            let folding = folding(of: element, comparison.options)
            let (a, b) = (
                folding?.sql(array: column.sql) ?? column.sql, folding?.sql(array: other.sql) ?? other.sql
            )
            if differs { return "\(a) IS DISTINCT FROM \(b)" }
            return column.isNullable && other.isNullable ? "\(a) IS NOT DISTINCT FROM \(b)" : "\(a) = \(b)"
        default: break
        }
        throw PredicateTreeError(
            .invalidOperand,
            "\(column.name) is an array. Test its elements with CONTAINS, IN, ANY, ALL or NONE, their number with "
                + "@count, or compare it with an array by == or !=.")
    }

    /// Renders the condition that the left side of IN is one of the elements.
    mutating func member(
        _ left: ResolvedOperand, of array: ResolvedColumn, _ options: PredicateTree.Options, negated: Bool
    ) throws -> String {
        switch left {
        case .constant(let value):
            return try contains(array, array.type.element ?? array.type, value, options, negated: negated)
        case .column(let column) where column.type == array.type.element:
            return try membership(of: column, in: array, options, negated: negated)
        case .column:
            return try exists(
                array, array.type.element ?? array.type, .equal, left, options, fails: false, negated: negated
            )
        default:
            throw PredicateTreeError(
                .invalidOperand,
                "The left-hand side of IN \(array.name) is not one value. Use a value or an attribute.")
        }
    }

    /// Renders the condition that a column's value is one of the elements.
    private func membership(
        of value: ResolvedColumn, in array: ResolvedColumn, _ options: PredicateTree.Options, negated: Bool
    ) throws -> String {
        guard let element = array.type.element, value.type == element else {
            throw PredicateTreeError(
                .invalidOperand,
                "The elements of \(array.name) do not have the type of \(value.name). Compare with a value of the "
                    + "elements' type."
            )
        }
        let options = value.isCaseInsensitive ? options.ofCaseInsensitive(.in) : options
        let folding = folding(of: element, options)
        let (member, members) = (
            folding?.sql(value.sql) ?? value.sql, folding?.sql(members: array.sql) ?? array.sql
        )
        return isTrue("\(member) = ANY(\(members))", value.isNullable || array.isNullable, negated)
    }

    /// Renders the condition that a constant is one of the elements.
    mutating func contains(
        _ column: ResolvedColumn, _ element: StoreSchema.ColumnType, _ value: Value,
        _ options: PredicateTree.Options, negated: Bool
    ) throws -> String {
        if value.isNull { return negated ? "TRUE" : "FALSE" }
        guard let exact = element.exact(value), folding(of: element, options) == nil else {
            return try exists(
                column, element, .equal, .constant(value), options, fails: false, negated: negated)
        }
        try parameters.appendArray(of: element.oid, count: 1) { try $0.writeOperand(exact, as: element) }
        return isTrue("\(column.sql) @> $\(parameters.count)", column.isNullable, negated)
    }

    private mutating func equality(
        _ column: ResolvedColumn, _ element: StoreSchema.ColumnType, _ values: [Value],
        _ options: PredicateTree.Options, negated: Bool
    ) throws -> String {
        if values.contains(where: \.isNull) { return negated ? "TRUE" : "FALSE" }
        let fitting = values.compactMap { element.exact($0) }
        if fitting.count == values.count, folding(of: element, options) == nil {
            try parameters.appendArray(of: element.oid, count: fitting.count) { cells in
                for value in fitting { try cells.writeOperand(value, as: element) }
            }
            let place = "$\(parameters.count)"
            if !negated { return "\(column.sql) = \(place)" }
            return column.isNullable ? "\(column.sql) IS DISTINCT FROM \(place)" : "\(column.sql) <> \(place)"
        }
        parameters.append(Int64(values.count))
        var parts = ["pg_catalog.cardinality(\(column.sql)) = $\(parameters.count)"]
        for (index, value) in values.enumerated() {
            let member = ResolvedColumn(
                sql: "(\(column.sql))[\(index + 1)]", type: element, isNullable: true, name: column.name)
            let (left, right) = try bind(
                value, against: member.folded(options, in: resolver.folding))
            parts.append("\(left) = \(right)")
        }
        return isTrue("(\(parts.joined(separator: " AND ")))", true, negated)
    }

    private mutating func exists(
        _ column: ResolvedColumn, _ element: StoreSchema.ColumnType, _ op: PredicateTree.Operator,
        _ right: ResolvedOperand, _ options: PredicateTree.Options, fails: Bool, negated: Bool
    ) throws -> String {
        let member = ResolvedColumn(sql: "e.v", type: element, isNullable: false, name: column.name)
        let condition = try compare(.column(member), op, right, options, negated: fails)
        return
            "\(negated ? "NOT " : "")EXISTS (SELECT 1 FROM pg_catalog.unnest(\(column.sql)) AS e(v) WHERE \(condition))"
    }
}

extension StoreSchema.ColumnType {
    /// Returns the value in this type, if it is equal to the given one under the rules of comparisons;
    /// otherwise nil.
    func exact(_ value: Value) -> Value? {
        switch (self, value) {
        case (.text, .uri(let url)): .string(url.absoluteString)
        case (.text, .string), (.timestamptz, .date), (.bytea, .data), (.uuid, .uuid), (.boolean, .bool),
            (.numeric, .decimal), (.float8, .double), (.float4, .float), (.int8, .int):
            value
        case (.int4, .int(let number)): Int32(exactly: number) == nil ? nil : value
        case (.int2, .int(let number)): Int16(exactly: number) == nil ? nil : value
        case (.float8, .float(let number)): .double(Double(number))
        case (.float8, .int(let number)): Double(exactly: number).map(Value.double)
        default: nil
        }
    }
}
