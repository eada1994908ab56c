public import Foundation

/// Constants as SQL text, for DDL (defaults, CHECK constraints) and for keys in COPY.
///
/// Neither takes parameters. Rows and conditions use ``Parameters``.
public enum SQLLiteral {
    /// The literal NULL.
    public static let null = "NULL"

    /// Returns a string in quotes, correct with any setting of `standard_conforming_strings`.
    public static func string(_ value: String) -> String {
        var text = value.utf8.contains(UInt8(ascii: "\\")) ? "E'" : "'"
        for scalar in value.unicodeScalars {
            if scalar == "'" || scalar == "\\" { text.unicodeScalars.append(scalar) }
            text.unicodeScalars.append(scalar)
        }
        text += "'"
        return text
    }

    /// Returns an integer in decimal digits.
    public static func integer(_ value: some BinaryInteger) -> String { String(value) }

    /// Returns integers as a `bigint[]` constant.
    public static func integers(_ values: [Int64]) -> String {
        "'{\(values.map(String.init).joined(separator: ","))}'::bigint[]"
    }

    /// Returns TRUE or FALSE.
    public static func boolean(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

    /// Returns the shortest text that the server reads as the same `double precision`.
    public static func double(_ value: Double) -> String { floatingPoint(value, type: "double precision") }

    /// Returns the shortest text that the server reads as the same `real`.
    public static func float(_ value: Float) -> String { floatingPoint(value, type: "real") }

    /// Returns a number as a `numeric` constant.
    public static func decimal(_ value: Decimal) -> String {
        value.isNaN ? "'NaN'::numeric" : value.description
    }

    /// Returns a UUID as a `uuid` constant.
    public static func uuid(_ value: UUID) -> String { "'\(value.uuidString.lowercased())'::uuid" }

    /// Returns bytes as a `bytea` constant.
    public static func data(_ value: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var hex: [UInt8] = []
        hex.reserveCapacity(value.count * 2)
        for byte in value {
            hex.append(digits[Int(byte >> 4)])
            hex.append(digits[Int(byte & 15)])
        }
        return "pg_catalog.decode('" + String(decoding: hex, as: UTF8.self) + "', 'hex')"
    }

    /// Returns a date, rounded to microseconds, as a `timestamptz` constant in UTC.
    ///
    /// - Throws: ``PostgresError`` with code `invalidValue` if the date is outside the server's range.
    public static func date(_ value: Date) throws -> String {
        let microseconds = try Timestamp.microseconds(of: value)
        if microseconds == Timestamp.infinity { return "'infinity'::timestamptz" }
        if microseconds == Timestamp.negativeInfinity { return "'-infinity'::timestamptz" }
        return "'" + Timestamp.text(microseconds) + "'::timestamptz"
    }

    private static func floatingPoint<F: BinaryFloatingPoint & CustomStringConvertible>(
        _ value: F, type: String
    ) -> String {
        if value.isNaN { return "'NaN'::\(type)" }
        if value.isInfinite { return value > 0 ? "'Infinity'::\(type)" : "'-Infinity'::\(type)" }
        return "'\(value.description)'::\(type)"
    }

}
