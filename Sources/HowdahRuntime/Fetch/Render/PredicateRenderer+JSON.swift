import Foundation
import HowdahModel
import PQClient

/// Comparisons of values in a `jsonb` column.
///
/// The constant determines the type: text, number or Boolean. Values of other types are not equal and not
/// ordered.
extension PredicateRenderer {
    mutating func json(
        _ column: ResolvedColumn, _ path: [String], _ op: PredicateTree.Operator, _ values: [Value],
        _ options: PredicateTree.Options, negated: Bool
    ) throws -> String {
        for value in values { try check(value, column) }
        switch op {
        case .equal: return try jsonEquals(column, path, values, options, negated: negated)
        case .notEqual: return try jsonEquals(column, path, values, options, negated: !negated)
        case .contains: return try jsonContains(column, path, values[0], options, negated: negated)
        case .in where values[0].isJSONScalar:
            return try jsonEquals(column, path, values, options, negated: negated)
        case .between:
            let kinds = Set(values.filter { !$0.isNull }.map(\.isText))
            guard kinds.count < 2 else { throw jsonMismatch(column, values[0]) }
            return try compare(
                .column(try jsonColumn(column, path, values[0])), op, .collection(values), options,
                negated: negated)
        default:
            return try compare(
                .column(try jsonColumn(column, path, values[0])), op, .constant(values[0]), options,
                negated: negated)
        }
    }

    /// Renders equality as containment, for which a GIN index on the column works.
    mutating func jsonEquals(
        _ column: ResolvedColumn, _ path: [String], _ values: [Value], _ options: PredicateTree.Options,
        negated: Bool
    ) throws -> String {
        var parts: [String] = []
        for value in values {
            try check(value, column)
            if value.isText, !options.folding.isEmpty {
                let place = try jsonColumn(column, path, value)
                let (left, right) = try bind(
                    value, against: place.folded(options, in: resolver.folding))
                parts.append("(\(left) = \(right)) IS TRUE")
                continue
            }
            guard let constant = JSONDocument(value) else {
                if case .double = value { continue }
                throw jsonMismatch(column, value)
            }
            if constant == .null {
                parts.append("(\(step(column, path)) #>> '{}'::text[]) IS NULL")
                continue
            }
            for equal in constant.equals {
                parts.append(try containment(of: equal, in: column, path))
            }
        }
        if parts.isEmpty { return negated ? "TRUE" : "FALSE" }
        return isTrue(
            parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " OR ")))", column.isNullable, negated)
    }

    /// Renders the condition that an array there contains the member, or a text there the part.
    private mutating func jsonContains(
        _ column: ResolvedColumn, _ path: [String], _ value: Value, _ options: PredicateTree.Options,
        negated: Bool
    ) throws -> String {
        var parts: [String] = []
        if value.isText {
            let text = try jsonColumn(column, path, value)
            parts.append(try compare(.column(text), .contains, .constant(value), options, negated: false))
        }
        if value.isText, !options.folding.isEmpty {
            let place = step(column, path)
            let member = ResolvedColumn(
                sql: "(e.v #>> '{}'::text[] COLLATE pg_catalog.\"C\")", type: .text, isNullable: true,
                name: column.name)
            let (left, right) = try bind(value, against: member.folded(options, in: resolver.folding))
            parts.append(
                "EXISTS (SELECT FROM pg_catalog.jsonb_array_elements(CASE pg_catalog.jsonb_typeof(\(place)) WHEN 'array' THEN \(place) END) AS e(v) "
                    + "WHERE pg_catalog.jsonb_typeof(e.v) = 'string' AND \(left) = \(right))")
        } else if let constant = JSONDocument(value) {
            for member in constant.equals {
                parts.append(try containment(of: .array([member]), in: column, path))
            }
        } else if case .double = value {
            // Infinite, or not a number: JSON has none.
        } else {
            throw jsonMismatch(column, value)
        }
        if parts.isEmpty { return negated ? "TRUE" : "FALSE" }
        return isTrue("(\(parts.joined(separator: " OR ")))", true, negated)
    }

    private mutating func containment(of value: JSONDocument, in column: ResolvedColumn, _ path: [String])
        throws -> String
    {
        let document = path.reversed().reduce(value) { .object([$1: $0]) }
        try parameters.append(.jsonb) {
            try $0.writeOperand(.data(Data(document.text.utf8)), as: .jsonb)
        }
        return "\(column.sql) @> $\(parameters.count)"
    }

    /// Returns the value at the path as a column of the constant's type; NULL if it has another type.
    private func jsonColumn(_ column: ResolvedColumn, _ path: [String], _ value: Value) throws
        -> ResolvedColumn
    {
        let place = step(column, path)
        let name = ([column.name] + path).joined(separator: ".")
        switch value {
        case .string, .uri, .null:
            return ResolvedColumn(
                sql:
                    "(CASE pg_catalog.jsonb_typeof(\(place)) WHEN 'string' THEN \(place) #>> '{}'::text[] END COLLATE pg_catalog.\"C\")",
                type: .text, isNullable: true, name: name)
        case .int, .double, .float, .decimal, .bool:
            return ResolvedColumn(
                sql: "(CASE pg_catalog.jsonb_typeof(\(place)) WHEN 'number' THEN (\(place))::numeric "
                    + "WHEN 'boolean' THEN (\(place))::boolean::int4::numeric END)",
                type: .numeric, isNullable: true, name: name)
        default: throw jsonMismatch(column, value)
        }
    }

    private func step(_ column: ResolvedColumn, _ path: [String]) -> String {
        path.reduce(column.sql) { "\($0) -> \(SQLLiteral.string($1))::text" }
    }

    private func jsonMismatch(_ column: ResolvedColumn, _ value: Value) -> PredicateTreeError {
        PredicateTreeError(
            .argumentType,
            "\(column.name) holds JSON, which cannot be compared with \(value.kindName.article) \(value.kindName). "
                + "Pass the text of the value as a string, or compare with a number, a Boolean or nil.")
    }
}

extension Value {
    fileprivate var isText: Bool {
        switch self {
        case .string, .uri: true
        default: false
        }
    }

    /// A Boolean value that indicates whether IN with this alone means one member, not a text that contains
    /// the left side.
    fileprivate var isJSONScalar: Bool { !isText && !isNull }
}

extension JSONDocument {
    /// The equal JSON values: Booleans count as 0 and 1, as in columns.
    fileprivate var equals: [JSONDocument] {
        switch self {
        case .bool(let flag): [self, .number(flag ? 1 : 0)]
        case .number(0): [self, .bool(false)]
        case .number(1): [self, .bool(true)]
        default: [self]
        }
    }
}
