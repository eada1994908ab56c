internal import Foundation
package import HowdahModel
internal import PQClient

extension StoreSchema.Condition {
    /// The condition as a Boolean SQL expression over unqualified columns.
    package var sql: String {
        switch self {
        case .isOneOf(let column, let texts):
            // IN with an empty list is no SQL; like IN, this lets NULL pass.
            texts.isEmpty
                ? "\(SQLIdentifier.quoted(column)) IS NULL"
                : "\(SQLIdentifier.quoted(column)) IN (\(texts.map(SQLLiteral.string).joined(separator: ", ")))"
        case .isNotNull(let column): "\(SQLIdentifier.quoted(column)) IS NOT NULL"
        case .allNull(let columns): columns.joined("IS NULL", by: " AND ")
        case .allOrNone(let columns):
            columns.count == 2
                ? "(\(SQLIdentifier.quoted(columns[0])) IS NULL) = (\(SQLIdentifier.quoted(columns[1])) IS NULL)"
                : "(\(columns.joined("IS NULL", by: " AND "))) OR (\(columns.joined("IS NOT NULL", by: " AND ")))"
        case .isAtLeast(let column, let value): Self.comparison(column, ">=", value)
        case .isAtMost(let column, let value): Self.comparison(column, "<=", value)
        case .isLongerOrEqual(let column, let length): Self.length(column, ">=", length)
        case .isShorterOrEqual(let column, let length): Self.length(column, "<=", length)
        case .isNull(let column): "\(SQLIdentifier.quoted(column)) IS NULL"
        case .compares(let column, let comparison, let value): Self.comparison(column, comparison.sql, value)
        case .isIn(let column, let values):
            values.isEmpty
                ? "\(SQLIdentifier.quoted(column)) IS NULL"
                : "\(SQLIdentifier.quoted(column)) IN (\(values.map { $0.sqlLiteral ?? SQLLiteral.null }.joined(separator: ", ")))"
        case .matches(let column, let pattern):
            // Without options `^` and `$` are the ends of the text, whatever line breaks are in it.
            "\(SQLIdentifier.quoted(column)) OPERATOR(pg_catalog.~) \(SQLLiteral.string("^(?:\(pattern))$"))"
        case .isNotTrue(let condition): "(\(condition.sql)) IS NOT TRUE"
        case .constant(let flag): SQLLiteral.boolean(flag)
        case .isPlainArray(let column):
            // An empty array has no lower bound, and passes. Several dimensions make array_position an error.
            "pg_catalog.array_position(\(SQLIdentifier.quoted(column)), NULL) IS NULL"
                + " AND pg_catalog.array_lower(\(SQLIdentifier.quoted(column)), 1) = 1"
        case .and(let conditions): conditions.map { "(\($0.sql))" }.joined(separator: " AND ")
        case .or(let conditions): conditions.map { "(\($0.sql))" }.joined(separator: " OR ")
        case .not(let condition): "NOT (\(condition.sql))"
        }
    }

    private static func comparison(_ column: String, _ symbol: String, _ value: Value) -> String {
        "\(SQLIdentifier.quoted(column)) \(symbol) \(value.sqlLiteral ?? SQLLiteral.null)"
    }

    private static func length(_ column: String, _ symbol: String, _ length: Int) -> String {
        "pg_catalog.char_length(\(SQLIdentifier.quoted(column))) \(symbol) \(SQLLiteral.integer(length))"
    }
}

extension StoreSchema.Comparison {
    fileprivate var sql: String {
        switch self {
        case .equal: "="
        case .notEqual: "<>"
        case .distinct: "IS DISTINCT FROM"
        case .less: "<"
        case .greater: ">"
        }
    }
}

extension [String] {
    fileprivate func joined(_ test: String, by separator: String) -> String {
        map { "\(SQLIdentifier.quoted($0)) \(test)" }.joined(separator: separator)
    }
}

extension Value {
    /// The constant for a default or a check; nil for what one column cannot hold.
    package var sqlLiteral: String? {
        switch self {
        case .null: SQLLiteral.null
        case .bool(let value): SQLLiteral.boolean(value)
        case .int(let value): SQLLiteral.integer(value)
        case .double(let value): SQLLiteral.double(value)
        case .float(let value): SQLLiteral.float(value)
        case .decimal(let value): SQLLiteral.decimal(value)
        case .string(let value): SQLLiteral.string(value)
        case .uri(let value): SQLLiteral.string(value.absoluteString)
        case .uuid(let value): SQLLiteral.string(value.uuidString.lowercased()) + "::pg_catalog.uuid"
        case .data(let value): SQLLiteral.string(value.hexInput) + "::pg_catalog.bytea"
        case .date(let value): SQLLiteral.string(value.timestampInput) + "::timestamp with time zone"
        case .array(let values):
            // The column's own type decides what an empty literal is.
            values.isEmpty
                ? "'{}'" : "ARRAY[\(values.map { $0.sqlLiteral ?? SQLLiteral.null }.joined(separator: ", "))]"
        case .composite, .reference: nil
        }
    }
}

extension Data {
    fileprivate var hexInput: String {
        "\\x" + map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension Date {
    /// The moment in UTC and whole microseconds, as PostgreSQL reads it under every `DateStyle`.
    fileprivate var timestampInput: String {
        // Beyond PostgreSQL's range, where an integer would overflow.
        guard timeIntervalSince1970.magnitude < 1e13 else { return self > .now ? "infinity" : "-infinity" }
        let seconds = timeIntervalSince1970.rounded(.down)
        let fraction = Int(((timeIntervalSince1970 - seconds) * 1_000_000).rounded())
        let whole = Int(seconds) + fraction / 1_000_000
        let days = whole >= 0 ? whole / 86_400 : (whole - 86_399) / 86_400
        let rest = whole - days * 86_400
        let (year, month, day) = Self.civilDate(daysSince1970: days)
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = "\(padded(year > 0 ? year : 1 - year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let time = "\(padded(rest / 3_600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
        let decimals = fraction % 1_000_000 == 0 ? "" : "." + padded(fraction % 1_000_000, 6)
        return "\(date) \(time)\(decimals)+00" + (year > 0 ? "" : " BC")
    }

    /// Proleptic Gregorian, as PostgreSQL counts; Foundation's calendar has a Julian past.
    private static func civilDate(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
        // Counted in eras of 400 years that begin on the first of March, so that leap days come last.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
