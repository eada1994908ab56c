import Foundation
import HowdahModel
import PQClient

extension PredicateRenderer {
    /// Makes a parameter of a value compared with a column; where the types differ, both sides are widened so
    /// that the comparison is exact.
    mutating func bind(
        _ value: Value, against column: ResolvedColumn
    ) throws -> (column: String, parameter: String) {
        let (type, cast, bound) = try comparisonType(value, column)
        do {
            try parameters.append(type.oid) { try $0.write(bound, as: type) }
        } catch is FetchError {
            throw mismatch(value, column)
        }
        return (cast ? "\(column.sql)::\(type.sqlName)" : column.sql, "$\(parameters.count)")
    }

    /// Makes one array parameter of many values.
    mutating func bindArray(_ values: [Value], against column: ResolvedColumn) throws -> String {
        var type = column.type
        var bound: [Value] = []
        bound.reserveCapacity(values.count)
        for value in values {
            let (valueType, _, one) = try comparisonType(value, column)
            if valueType != column.type { type = valueType == .int8 && type != .numeric ? .int8 : .numeric }
            bound.append(one)
        }
        do {
            try parameters.appendArray(of: type.oid, count: bound.count) { cells in
                for value in bound { try cells.write(value, as: type) }
            }
        } catch is FetchError {
            throw mismatch(values[0], column)
        }
        return "$\(parameters.count)"
    }

    private func comparisonType(
        _ value: Value, _ column: ResolvedColumn
    ) throws -> (type: StoreSchema.ColumnType, castsColumn: Bool, value: Value) {
        switch (column.type, value) {
        case (.int2, .int), (.int4, .int), (.int8, .int): return (.int8, false, value)
        case (.int2, .bool(let flag)), (.int4, .bool(let flag)), (.int8, .bool(let flag)):
            return (.int8, false, .int(flag ? 1 : 0))
        case (.int2, .double), (.int4, .double), (.int8, .double), (.int2, .decimal), (.int4, .decimal),
            (.int8, .decimal):
            if case .double(let number) = value {
                if let whole = Int64(exactly: number) { return (.int8, false, .int(whole)) }
                guard number.isFinite else { return (.float8, true, value) }
            }
            return (.numeric, true, value)
        case (.int2, .float(let number)), (.int4, .float(let number)), (.int8, .float(let number)):
            return try comparisonType(.double(Double(number)), column)
        case (.float4, .float): return (.float4, false, value)
        case (.float4, .double), (.float4, .int): return (.float8, true, value)
        case (.float8, .double), (.float8, .float), (.float8, .int): return (.float8, false, value)
        case (.float4, .decimal), (.float8, .decimal): return (.numeric, true, value)
        case (.numeric, .int), (.numeric, .double), (.numeric, .decimal): return (.numeric, false, value)
        case (.boolean, .int(let number)) where number == 0 || number == 1:
            return (.boolean, false, .bool(number == 1))
        case (.uuid, .string(let text)):
            guard let uuid = UUID(uuidString: text) else { throw mismatch(value, column) }
            return (.uuid, false, .uuid(uuid))
        case (.boolean, .bool), (.text, .string), (.text, .uri), (.timestamptz, .date), (.bytea, .data),
            (.uuid, .uuid):
            return (column.type, false, value)
        default: throw mismatch(value, column)
        }
    }

    /// The SQL types on which two columns are compared.
    func widened(_ a: ResolvedColumn, _ b: ResolvedColumn) throws -> (String, String) {
        if a.type == b.type { return (a.sql, b.sql) }
        let integers: Set<StoreSchema.ColumnType> = [.int2, .int4, .int8]
        let floats: Set<StoreSchema.ColumnType> = [.float4, .float8]
        let numbers = integers.union(floats).union([.numeric])
        guard numbers.contains(a.type), numbers.contains(b.type) else {
            throw PredicateTreeError(
                .invalidOperand, "\(a.name) and \(b.name) have types that cannot be compared with each other.")
        }
        if integers.contains(a.type), integers.contains(b.type) { return (a.sql, b.sql) }
        let common = floats.contains(a.type) && floats.contains(b.type) ? "float8" : "numeric"
        return ("\(a.sql)::\(common)", "\(b.sql)::\(common)")
    }

    /// The operators on strings.
    mutating func text(_ column: ResolvedColumn, _ op: PredicateTree.Operator, _ value: Value) throws -> String {
        guard column.type == .text, case .string(let text) = value else {
            throw PredicateTreeError(
                .argumentType,
                "\(op.rawValue) compares a String attribute with a string; \(column.name) or its argument is none.")
        }
        try parameters.append(op == .like ? LikePattern.sql(of: text) : text)
        let place = "$\(parameters.count)"
        return switch op {
        case .beginsWith: "starts_with(\(column.sql), \(place))"
        case .endsWith: "right(\(column.sql), char_length(\(place))) = \(place)"
        case .like: "\(column.sql) LIKE \(place) ESCAPE '\\'"
        case .in: "strpos(\(place), \(column.sql)) > 0"
        default: "strpos(\(column.sql), \(place)) > 0"
        }
    }

    private func mismatch(_ value: Value, _ column: ResolvedColumn) -> PredicateTreeError {
        PredicateTreeError(
            .argumentType,
            "\(column.name) cannot be compared with a \(value.kindName); give it a value of its attribute type.")
    }
}

extension Value {
    /// The scalars of a composite, nested ones included, in column order.
    var leaves: [Value] {
        if case .composite(let elements) = self { elements.flatMap(\.leaves) } else { [self] }
    }
}
