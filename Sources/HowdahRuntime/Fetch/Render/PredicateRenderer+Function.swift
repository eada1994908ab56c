import Foundation
import HowdahModel
import PQClient

/// Functions of one or two values.
extension PredicateRenderer {
    mutating func function(
        _ function: PredicateTree.Function, _ operands: [PredicateTree.Expression], in scope: SQLScope
    ) throws -> ResolvedOperand {
        var columns: [ResolvedColumn] = []
        for operand in operands {
            guard let column = try value(operand, of: function.symbol ?? function.rawValue, in: scope) else {
                return .constant(.null)
            }
            columns.append(column)
        }
        switch function {
        case .uppercase, .lowercase, .canonical, .length: return .column(try text(function, columns[0]))
        default: break
        }
        var ranks: [Int] = []
        for column in columns {
            guard let rank = column.numberRank else { throw column.needsNumber(function) }
            ranks.append(rank)
        }
        if columns.count == 2 {
            return .column(try binary(function, columns[0], columns[1], max(ranks[0], ranks[1])))
        }
        return .column(try unary(function, columns[0], ranks[0]))
    }

    /// Returns an operand as a column; nil if it is the constant nil.
    mutating func value(
        _ expression: PredicateTree.Expression, of function: String, in scope: SQLScope
    ) throws -> ResolvedColumn? {
        switch try outcome(expression, in: scope) {
        case .operand(.column(let column)) where column.type.element == nil: return column
        case .operand(.constant(.null)): return nil
        case .operand(.constant(let value)): return try parameter(value)
        case .members(let source):
            throw PredicateTreeError(
                .invalidOperand,
                "\(function) needs one value, and \(source) has many. Apply sum:, min:, max:, average: or count: first."
            )
        case .operand(.json):
            throw PredicateTreeError(
                .argumentType,
                "\(function) cannot be applied to \(expression), because it is JSON, whose type is unknown. Remove "
                    + "\(function), and compare \(expression) itself."
            )
        case .operand:
            throw PredicateTreeError(
                .argumentType,
                "\(function) needs one value, and \(expression) is not one value. Name an attribute or an element."
            )
        }
    }

    /// Returns a parameter with the type of its value.
    mutating func parameter(_ value: Value) throws -> ResolvedColumn {
        let (type, bound): (StoreSchema.ColumnType, Value) =
            switch value {
            case .bool(let flag): (.int8, .int(flag ? 1 : 0))
            case .int: (.int8, value)
            case .decimal: (.numeric, value)
            case .float(let number): (.float8, .double(Double(number)))
            case .double: (.float8, value)
            case .string: (.text, value)
            case .uri(let url): (.text, .string(url.absoluteString))
            case .date: (.timestamptz, value)
            case .uuid: (.uuid, value)
            case .data: (.bytea, value)
            case .null, .composite, .array, .reference:
                throw PredicateTreeError(
                    .argumentType,
                    "A function cannot be applied to \(value.kindName.article) \(value.kindName). Use numbers, strings "
                        + "or dates."
                )
            }
        try parameters.append(type.oid) { try $0.writeOperand(bound, as: type) }
        let place = "$\(parameters.count)"
        return ResolvedColumn(
            sql: type == .text ? "(\(place)::text COLLATE pg_catalog.\"C\")" : "\(place)::\(type.sqlName)",
            type: type, isNullable: false,
            name: "\(value.kindName.article == "a" ? "A" : "An") \(value.kindName)")
    }

    private func text(_ function: PredicateTree.Function, _ column: ResolvedColumn) throws -> ResolvedColumn {
        guard column.type == .text else {
            throw PredicateTreeError(
                .argumentType,
                "\(column.name) is not a string, and \(function.rawValue) needs one. Use a string, or CAST "
                    + "\(column.nameInside) to 'NSString'."
            )
        }
        func changed(_ name: String) -> String {
            let text = "pg_catalog.\(name)((\(column.sql)) COLLATE pg_catalog.\"und-x-icu\")"
            return "(pg_catalog.normalize(\(text), 'NFC') COLLATE pg_catalog.\"C\")"
        }
        let sql: String
        switch function {
        case .uppercase: sql = changed("upper")
        case .lowercase: sql = changed("lower")
        case .canonical:
            let folding = FoldingFunction(
                [.caseInsensitive, .diacriticInsensitive], in: resolver.folding)
            sql = "(\(folding?.sql(column.sql) ?? column.sql) COLLATE pg_catalog.\"C\")"
        default: return column.computed("pg_catalog.char_length(\(column.sql))", .int4)
        }
        return column.computed(sql, .text)
    }

    private func binary(
        _ function: PredicateTree.Function, _ a: ResolvedColumn, _ b: ResolvedColumn, _ rank: Int
    ) throws -> ResolvedColumn {
        let op = function == .bitwiseXor ? "#" : function == .modulus ? "%" : function.symbol ?? ""
        let name = "\(a.name) \(op) \(b.name)"
        func result(_ sql: String, _ type: StoreSchema.ColumnType) -> ResolvedColumn {
            ResolvedColumn(sql: sql, type: type, isNullable: true, name: name)
        }
        if function == .power { return result(SQLArithmetic.power(a.number(2), b.number(2)), .float8) }
        let (left, right) = (a.number(rank), b.number(rank))
        switch (function, rank) {
        case (.modulus, 0): return result("(\(left) % nullif(\(right), '0'))", .int8)
        case (.bitwiseAnd, 0), (.bitwiseOr, 0), (.bitwiseXor, 0):
            return result("(\(left) \(op) \(right))", .int8)
        case (.leftShift, 0), (.rightShift, 0): return result(SQLArithmetic.shift(left, op, right), .int8)
        case (.modulus, _), (.bitwiseAnd, _), (.bitwiseOr, _), (.bitwiseXor, _), (.leftShift, _),
            (.rightShift, _):
            throw PredicateTreeError(
                .argumentType,
                "\(function.symbol ?? function.rawValue) needs integers, and \(name) is not an integer. Use integers."
            )
        case (.divide, 0) where a.isNarrow && b.isNarrow:
            return result("(\(left) / nullif(\(right), '0'))", .int8)
        case (_, 0) where a.isNarrow && b.isNarrow: return result("(\(left) \(op) \(right))", .int8)
        case (.divide, 0):
            return result(
                SQLArithmetic.whole("pg_catalog.div(\(a.number(1)), nullif(\(b.number(1)), '0'))"), .int8)
        case (_, 0): return result(SQLArithmetic.whole("\(a.number(1)) \(op) \(b.number(1))"), .int8)
        case (.divide, 1): return result(SQLArithmetic.decimal(SQLArithmetic.quotient(left, right)), .numeric)
        case (_, 1): return result(SQLArithmetic.decimal("\(left) \(op) \(right)"), .numeric)
        case (.divide, _): return result(SQLArithmetic.doubleQuotient(left, right), .float8)
        case (.multiply, _): return result(SQLArithmetic.product(left, right), .float8)
        default: return result(SQLArithmetic.sum(left, op, right), .float8)
        }
    }

    private func unary(
        _ function: PredicateTree.Function, _ column: ResolvedColumn, _ rank: Int
    ) throws -> ResolvedColumn {
        let type: StoreSchema.ColumnType = rank == 0 ? .int8 : rank == 1 ? .numeric : .float8
        let number = column.number(rank)
        // The lowest integer has no opposite.
        let opposed = rank == 0 ? "nullif(\(number), '-9223372036854775808'::int8)" : number
        switch function {
        case .negate: return column.computed("(- \(opposed))", type)
        case .absolute: return column.computed("pg_catalog.abs(\(opposed))", type)
        case .floor, .ceiling, .truncate:
            let name = function == .floor ? "floor" : function == .ceiling ? "ceil" : "trunc"
            return column.computed(rank == 0 ? number : "pg_catalog.\(name)(\(number))", type)
        case .onesComplement:
            guard rank == 0 else {
                throw PredicateTreeError(
                    .argumentType, "\(column.name) is not an integer, and ~ needs one. Use an integer.")
            }
            return column.computed("(~ \(number))", .int8)
        case .squareRoot: return column.computed(SQLArithmetic.root(column.number(2)), .float8)
        case .naturalLogarithm:
            return column.computed(SQLArithmetic.logarithm("ln", column.number(2)), .float8)
        case .logarithm: return column.computed(SQLArithmetic.logarithm("log", column.number(2)), .float8)
        case .exponential: return column.computed(SQLArithmetic.exponential(column.number(2)), .float8)
        default:
            throw PredicateTreeError(
                .unsupported,
                "\(function.rawValue) is not a function of one number. Use one that is, such as "
                    + "abs: or sqrt:.")
        }
    }
}

extension ResolvedColumn {
    /// Returns the computed column.
    func computed(
        _ sql: String, _ type: StoreSchema.ColumnType, isNullable: Bool = true
    ) -> ResolvedColumn {
        ResolvedColumn(sql: sql, type: type, isNullable: isNullable, name: name)
    }

    /// The rank of numbers: 0 integers and Booleans, 1 Decimals, 2 Doubles and Floats; nil if it is not
    /// numeric.
    package var numberRank: Int? {
        switch type {
        case .int2, .int4, .int8, .boolean: 0
        case .numeric: 1
        case .float4, .float8: 2
        default: nil
        }
    }

    /// A Boolean value that indicates whether sums and products of two such columns stay in the range of
    /// integers.
    var isNarrow: Bool { type == .int2 || type == .int4 || type == .boolean }

    /// Returns the column as a number of a rank.
    func number(_ rank: Int) -> String {
        let number = type == .boolean ? "(\(sql))::int4" : "(\(sql))"
        return number + (rank == 0 ? "::int8" : rank == 1 ? "::numeric" : "::float8")
    }

    func needsNumber(_ function: PredicateTree.Function) -> PredicateTreeError {
        PredicateTreeError(
            .argumentType,
            "\(name) is not a number, and \(function.symbol ?? function.rawValue) needs one. Use a number. For a "
                + "date, write CAST(date, 'NSNumber')."
        )
    }
}
