import HowdahModel
import PQClient

/// TERNARY and CAST, and operands that must have one type.
extension PredicateRenderer {
    mutating func conditional(
        _ test: PredicateTree.Node, _ a: PredicateTree.Expression, _ b: PredicateTree.Expression,
        in scope: SQLScope
    ) throws -> ResolvedOperand {
        guard case .operand(let first) = try outcome(a, in: scope),
            case .operand(let second) = try outcome(b, in: scope)
        else {
            throw PredicateTreeError(
                .invalidOperand,
                "TERNARY needs two single values, and one of its values is to-many. Write @count or an "
                    + "aggregate such as @max.name after the to-many key path."
            )
        }
        let test = try condition(test, in: scope)
        func text(_ a: String, _ b: String) -> String { "(CASE WHEN \(test) THEN \(a) ELSE \(b) END)" }
        switch (first, second) {
        case (.constant(.null), .constant(.null)): return .constant(.null)
        case (.object(let a, let entity, _), .object(let b, let other, _)) where entity.root == other.root:
            return .object(sql: text(a, b), entity: entity, isNullable: true)
        case (.object(let a, let entity, _), .constant(.null)):
            return .object(sql: text(a, "NULL"), entity: entity, isNullable: true)
        case (.constant(.null), .object(let b, let entity, _)):
            return .object(sql: text("NULL", b), entity: entity, isNullable: true)
        case (.object(_, let entity, _), .object(_, let other, _)):
            throw PredicateTreeError(
                .invalidOperand,
                "One value of TERNARY is of \(entity.name), and the other is of \(other.name). Use two objects of one "
                    + "entity.")
        case (.object, _), (_, .object):
            throw PredicateTreeError(
                .invalidOperand,
                "One value of TERNARY is an object, and the other is not. Use two objects of one entity, or two values."
            )
        default: break
        }
        let columns = try unified([first, second])
        guard columns.count == 2 else { return .constant(.null) }
        return columns[0].at(text(columns[0].sql, columns[1].sql), isNullable: true)
    }

    /// Returns operands as expressions of one type.
    mutating func unified(_ operands: [ResolvedOperand]) throws -> [SingleValue] {
        if case .object? = operands.first { return try operands.map { try single($0) } }
        if case .constant(.reference)? = operands.first(where: { !$0.isNull }) {
            return try references(operands)
        }
        var columns: [ResolvedColumn?] = []
        for operand in operands {
            switch operand {
            case .column(let column) where column.type.element == nil: columns.append(column)
            case .constant(.null): columns.append(nil)
            case .constant(let value): columns.append(try parameter(value))
            default:
                throw PredicateTreeError(
                    .invalidOperand,
                    "A member of a collection { } or of TERNARY is not a single value, but for example a composite, "
                        + "an array or JSON. Use single values, such as elements of the composite."
                )
            }
        }
        guard let first = columns.compactMap(\.self).first else { return [] }
        var type = first.type
        if let rank = first.numberRank {
            type = rank == 0 ? .int8 : rank == 1 ? .numeric : .float8
        }
        return try columns.map { column in
            guard let column else {
                return SingleValue(first.computed("NULL::\(type.sqlName)", type))
            }
            guard column.numberRank == first.numberRank, column.numberRank != nil || column.type == first.type
            else {
                throw PredicateTreeError(
                    .argumentType,
                    "\(first.name) and \(column.nameInside) have different types. Write both as integers or both "
                        + "with a decimal point, or CAST one to the type of the other.")
            }
            let sql =
                if let rank = column.numberRank { column.number(rank) } else { column.ordered.sql }
            return SingleValue(column.computed(sql, type, isNullable: column.isNullable))
        }
    }

    private mutating func references(_ operands: [ResolvedOperand]) throws -> [SingleValue] {
        throw PredicateTreeError(
            .invalidOperand,
            "Objects passed as arguments cannot be combined with other objects in a collection { } or TERNARY. "
                + "Compare the passed objects in a separate IN %@."
        )
    }

    mutating func cast(
        _ operand: PredicateTree.Expression, to type: PredicateTree.Cast, in scope: SQLScope
    ) throws -> ResolvedOperand {
        guard let column = try value(operand, of: "CAST", in: scope) else { return .constant(.null) }
        func result(_ sql: String, _ type: StoreSchema.ColumnType) -> ResolvedOperand {
            .column(column.computed(sql, type))
        }
        func text(_ pattern: String, _ sqlType: String) -> String {
            let pattern = SQLLiteral.string("^(?:\(pattern))$")
            return SQLArithmetic.fenced(
                [column.sql],
                "CASE WHEN x.a OPERATOR(pg_catalog.~) \(pattern) THEN x.a::\(sqlType) END")
        }
        switch (type, column.type) {
        case (.string, .text), (.date, .timestamptz): return .column(column)
        case (.string, .int2), (.string, .int4), (.string, .int8):
            return result("((\(column.sql))::text COLLATE pg_catalog.\"C\")", .text)
        case (.string, .uuid):
            return result("(pg_catalog.upper((\(column.sql))::text) COLLATE pg_catalog.\"C\")", .text)
        case (.number, .text):
            return result(text(try Self.pattern(PredicateCast.doublePattern), "float8"), .float8)
        case (.decimal, .text):
            return result(text(try Self.pattern(PredicateCast.decimalPattern), "numeric"), .numeric)
        case (.number, .timestamptz): return result(Self.seconds(column.sql), .float8)
        case (.decimal, _) where column.numberRank == 2:
            return result(
                SQLArithmetic.fenced(
                    [column.number(2)],
                    "CASE WHEN x.a = '0' OR pg_catalog.abs(x.a) BETWEEN '1e-18' AND '1e18' THEN x.a::text::numeric END"
                ),
                .numeric)
        case (.decimal, _) where column.numberRank != nil: return result(column.number(1), .numeric)
        case (.date, _) where column.numberRank != nil:
            return result(Self.moment(column.number(2)), .timestamptz)
        case (.number, _):
            guard let rank = column.numberRank else { break }
            return result(column.number(rank), rank == 0 ? .int8 : rank == 1 ? .numeric : .float8)
        default: break
        }
        throw PredicateTreeError(
            .argumentType,
            "CAST cannot convert \(column.nameInside) to '\(type.rawValue)'. Compare \(column.nameInside) without "
                + "CAST.")
    }

    private static func pattern(_ text: String) throws -> String {
        try PredicatePattern.portableText(of: text)
    }

    /// Returns a date as seconds since 2001, rounded as when it is read from a row.
    private static func seconds(_ moment: String) -> String {
        SQLArithmetic.fenced(
            ["(extract(epoch FROM \(moment)) - '978307200')"],
            "CASE WHEN pg_catalog.abs(x.a) <= '9007199254.740992' THEN x.a::float8 "
                + "ELSE pg_catalog.trunc(x.a)::float8 + (x.a - pg_catalog.trunc(x.a))::float8 END")
    }

    /// Returns the date some seconds after 2001, in whole microseconds of the number's digits.
    private static func moment(_ seconds: String) -> String {
        let micros = SQLArithmetic.fenced(
            [seconds],
            "CASE WHEN x.a BETWEEN '-2e11' AND '7e12' THEN pg_catalog.round(x.a::text::numeric * '1000000') END"
        )
        // In hours and the rest, because a day's length depends on the time zone and a Double has 53 bits.
        return SQLArithmetic.fenced(
            [micros],
            "timestamptz '2001-01-01 00:00:00+00' + pg_catalog.make_interval(hours => pg_catalog.div(x.a, 3600000000)::int4, "
                + "secs => ((x.a % '3600000000') / '1000000')::float8)")
    }
}

extension ResolvedOperand {
    fileprivate var isNull: Bool { if case .constant(.null) = self { true } else { false } }
}
