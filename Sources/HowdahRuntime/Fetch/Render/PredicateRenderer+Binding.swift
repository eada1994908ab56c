import Foundation
import HowdahModel
import PQClient

extension PredicateRenderer {
    /// Makes a value that is compared with a column a parameter.
    ///
    /// If their types differ, the parameter has the type in which the comparison is exact. The server then
    /// converts the column: the text stays the same.
    mutating func bind(
        _ value: Value, against column: ResolvedColumn
    ) throws -> (column: String, parameter: String) {
        try check(value, column)
        var column = comparable(column, with: value)
        let (type, bound) = try comparisonType(value, column)
        column = column.cast(for: type)
        do {
            try parameters.append(type.oid) { try $0.writeOperand(bound, as: type) }
        } catch is FetchError {
            throw mismatch(value, column)
        } catch let error as PostgresError where error.code == .invalidValue {
            throw incomparable(column, error)
        }
        return (column.sql, column.alike("$\(parameters.count)"))
    }

    /// Returns the conditions that a column equals one of many values: one array for each type of comparison.
    mutating func membership(
        of column: ResolvedColumn, in values: [Value], narrowed: Bool
    ) throws -> [String] {
        var groups: [(sql: String, type: StoreSchema.ColumnType, values: [Value])] = []
        for value in values {
            try check(value, column)
            var column = comparable(column, with: value)
            let (type, bound) = try comparisonType(value, column)
            column = column.cast(for: type)
            if let place = groups.firstIndex(where: { $0.type == type && $0.sql == column.sql }) {
                groups[place].values.append(bound)
            } else {
                groups.append((column.sql, type, [bound]))
            }
        }
        groups.sort { ($0.sql, $0.type.sqlName) < ($1.sql, $1.type.sqlName) }
        return try groups.map { group in
            do {
                try parameters.appendArray(of: group.type.oid, count: group.values.count) { cells in
                    for value in group.values { try cells.writeOperand(value, as: group.type) }
                }
            } catch is FetchError {
                throw mismatch(group.values[0], column)
            } catch let error as PostgresError where error.code == .invalidValue {
                throw incomparable(column, error)
            }
            let array = "$\(parameters.count)"
            let place = column.folding?.sql(members: array) ?? array
            let condition = "\(group.sql) = ANY(\(place))"
            return narrowed ? column.narrowed(condition, .in, place) : condition
        }
    }

    /// Returns the column in the type for a comparison with a value.
    ///
    /// A Boolean compared with a number is 0 or 1. A Double compared with a Decimal is the decimal that it
    /// prints as. Compared with an integer that no Double holds, it is a number with all its digits. With any
    /// other integer it stays unchanged, so that indexes work.
    private func comparable(_ column: ResolvedColumn, with value: Value) -> ResolvedColumn {
        switch value {
        case .int(let number)
        where (column.type == .float4 || column.type == .float8) && Double(exactly: number) == nil:
            ResolvedColumn(
                sql: Self.exact(column), type: .numeric, isNullable: column.isNullable, name: column.name)
        case .decimal where column.type == .float4 || column.type == .float8: column.asNumeric
        case .int, .double, .float, .decimal: column.asNumber
        default: column
        }
    }

    private func comparisonType(
        _ value: Value, _ column: ResolvedColumn
    ) throws -> (type: StoreSchema.ColumnType, value: Value) {
        switch (column.type, value) {
        case (_, .float(let number)) where column.type != .float4:
            return try comparisonType(.double(Double(number)), column)
        case (.numeric, .bool(let flag)), (.float4, .bool(let flag)), (.float8, .bool(let flag)),
            (.int2, .bool(let flag)), (.int4, .bool(let flag)), (.int8, .bool(let flag)):
            return try comparisonType(.int(flag ? 1 : 0), column)
        case (.int2, .int), (.int4, .int), (.int8, .int): return (.int8, value)
        case (.int2, .decimal), (.int4, .decimal), (.int8, .decimal), (.numeric, .int), (.numeric, .decimal):
            return (.numeric, value)
        case (.int2, .double(let number)), (.int4, .double(let number)), (.int8, .double(let number)):
            if let whole = Int64(exactly: number) { return (.int8, .int(whole)) }
            return number.shortestDecimal.map { (.numeric, .decimal($0)) } ?? (.float8, value)
        case (.numeric, .double(let number)):
            return number.shortestDecimal.map { (.numeric, .decimal($0)) } ?? (.float8, value)
        case (.float4, .float): return (.float4, value)
        case (.float4, .double), (.float4, .int), (.float8, .double), (.float8, .int): return (.float8, value)
        case (.uuid, .string(let text)):
            guard let uuid = UUID(uuidString: text) else { throw mismatch(value, column) }
            return (.uuid, .uuid(uuid))
        case (.boolean, .bool), (.text, .string), (.text, .uri), (.timestamptz, .date), (.bytea, .data),
            (.uuid, .uuid):
            return (column.type, value)
        default: throw mismatch(value, column)
        }
    }

    /// Returns the SQL of two columns in the types of their comparison.
    func widened(_ a: ResolvedColumn, _ b: ResolvedColumn) throws -> (String, String) {
        if a.type == b.type { return (a.sql, b.sql) }
        let integers: Set<StoreSchema.ColumnType> = [.int2, .int4, .int8]
        let floats: Set<StoreSchema.ColumnType> = [.float4, .float8]
        let numbers = integers.union(floats).union([.numeric])
        let (a, b) = (numbers.contains(b.type) ? a.asNumber : a, numbers.contains(a.type) ? b.asNumber : b)
        guard numbers.contains(a.type), numbers.contains(b.type) else {
            throw PredicateTreeError(
                .invalidOperand,
                "\(a.name) and \(b.name) have types that cannot be compared. CAST \(a.name) or \(b.nameInside) to "
                    + "the type of the other.",
                isTypeMismatch: true)
        }
        if floats.contains(a.type) == floats.contains(b.type) {
            return (a.cast(for: b.type).sql, b.cast(for: a.type).sql)
        }
        if integers.contains(a.type) { return (a.cast(for: .numeric).sql, Self.exact(b)) }
        if integers.contains(b.type) { return (Self.exact(a), b.cast(for: .numeric).sql) }
        return (a.asNumeric.sql, b.asNumeric.sql)
    }

    /// Returns a floating-point number for a comparison with an integer: beyond 2^53 its shortest decimal is
    /// another number.
    private static func exact(_ column: ResolvedColumn) -> String {
        SQLArithmetic.fenced(
            ["\(column.sql)::float8"],
            "CASE WHEN pg_catalog.abs(x.a) >= 9007199254740992::float8 AND x.a >= '-9223372036854775808'::float8 "
                + "AND x.a < '9223372036854775808'::float8 THEN x.a::int8::numeric ELSE x.a::text::numeric END"
        )
    }

    /// Renders the operators on strings.
    mutating func text(_ column: ResolvedColumn, _ op: PredicateTree.Operator, _ value: Value) throws
        -> String
    {
        guard column.type == .text, case .string(let text) = value else {
            throw notText(
                column, op, value, "Use ==, or CAST \(column.nameInside) to a string: CAST(…, 'NSString').")
        }
        try check(value, column)
        let options = column.folding?.options ?? []
        try parameters.append(op == .like ? LikePattern.sql(of: text, folded: options) : text)
        let place = column.alike("$\(parameters.count)")
        return switch op {
        case .beginsWith: "pg_catalog.starts_with(\(column.sql), \(place))"
        case .endsWith: "pg_catalog.right(\(column.sql), pg_catalog.char_length(\(place))) = \(place)"
        case .like: "\(column.sql) LIKE \(place) ESCAPE E'\\\\'"
        case .in: "pg_catalog.strpos(\(place), \(column.sql)) > 0"
        default: "pg_catalog.strpos(\(column.sql), \(place)) > 0"
        }
    }

    /// Renders a regular expression of the subset that the server reads as ICU does; its own letters are
    /// folded.
    mutating func matches(
        _ column: ResolvedColumn, _ value: Value, _ options: PredicateTree.Options, negated: Bool
    ) throws -> String {
        if value.isNull { return negated ? "TRUE" : "FALSE" }
        guard column.type == .text, case .string(let text) = value else {
            throw notText(
                column, .matches, value, "CAST \(column.nameInside) to a string: CAST(…, 'NSString').")
        }
        try check(value, column)
        let pattern = try PredicatePattern.portableText(of: text, options)
        try parameters.append("^(?:\(pattern))$")
        return isTrue(
            "\(column.sql) OPERATOR(pg_catalog.~) $\(parameters.count)", column.isNullable, negated)
    }

    /// Returns the error for an operator on strings with a side that is not a string.
    private func notText(
        _ column: ResolvedColumn, _ op: PredicateTree.Operator, _ value: Value, _ remedy: String
    ) -> PredicateTreeError {
        let kind = "\(value.kindName.article) \(value.kindName)"
        return PredicateTreeError(
            .argumentType,
            column.type == .text
                ? "\(op.rawValue) compares \(column.nameInside) with a string, and the argument is \(kind). Pass a string."
                : "\(op.rawValue) compares strings, and \(column.nameInside) is not a string. \(remedy)",
            isTypeMismatch: true)
    }

    /// Checks a value: the server has no text with U+0000, not even for comparisons.
    func check(_ value: Value, _ column: ResolvedColumn) throws {
        guard case .string(let text) = value, text.utf8.contains(0) else { return }
        throw FetchError(
            .invalidRequest,
            "\(column.name) is compared with a text that contains U+0000, and no stored text contains it. Remove the "
                + "comparison or the character."
        )
    }

    /// Returns the error for a value that the server does not know. Of bindable types only dates have some:
    /// NaN, and times out of range.
    private func incomparable(_ column: ResolvedColumn, _ error: PostgresError) -> FetchError {
        FetchError(
            .invalidRequest,
            "\(column.name) is compared with a date that is NaN or outside the range 4714 BC to 294276 AD. Compare "
                + "with a date in this range, or with an infinite one.",
            databaseError: error)
    }

    private func mismatch(_ value: Value, _ column: ResolvedColumn) -> PredicateTreeError {
        if case .array = value {
            return PredicateTreeError(
                .invalidOperand, "\(column.name) is one value and is compared with a collection. Use IN.")
        }
        return PredicateTreeError(
            .argumentType,
            "\(column.name) cannot be compared with \(value.kindName.article) \(value.kindName). Use a value of the "
                + "type of the attribute.",
            isTypeMismatch: true)
    }
}

extension Value {
    /// The scalars of a composite, nested ones included, in column order.
    var leaves: [Value] {
        if case .composite(let elements) = self { elements.flatMap(\.leaves) } else { [self] }
    }
}
