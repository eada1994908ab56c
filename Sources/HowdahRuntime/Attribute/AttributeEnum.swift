public import HowdahModel
import PQClient

/// An enum that can be the type of an attribute, stored by its raw value.
///
/// ```swift
/// enum Status: String, AttributeEnum { case draft, sent }
/// ```
/// `String` raw values become `text`. `Int` ones become the smallest of `smallint`, `integer` and `bigint`
/// that holds every case. `Int16`, `Int32` and `Int64` ones become their own column. The raw values are the
/// attribute's allowed values. Objects sort by raw values, not in the order of the cases. If a row has a raw
/// value without a case, the fetch or the fault fails with `FetchError.unknownCase`.
public protocol AttributeEnum: AttributeValue, CaseIterable, Codable, Hashable, RawRepresentable
where RawValue: AttributeRawValue {}

/// A type of raw values for enums that are stored as attributes: String and the signed integers.
public protocol AttributeRawValue: AttributeValue, Codable, Hashable {
    /// Returns the attribute type of an enum with these raw values.
    static func _attributeType(ofCases values: [Self]) -> AttributeType
    /// Reads the raw value of an enum from its column; nil if it does not fit.
    static func _readRaw(_ row: inout _RowReader) -> Self?
}

extension AttributeEnum {
    /// The attribute type of the raw values.
    public static var _attributeType: AttributeType {
        RawValue._attributeType(ofCases: allCases.map(\.rawValue))
    }
    /// The first case.
    public static var _zero: Self {
        guard let first = allCases.first else {
            preconditionFailure(
                "\(Self.self) has no cases, so that no attribute can have this type. Add a case.")
        }
        return first
    }
    /// Reads the raw value; if no case has it, the fetch fails.
    public static func _read(_ row: inout _RowReader) -> Self {
        if row.skipIfNull(1) { return _zero }
        let raw = RawValue._readRaw(&row)
        if let raw, let value = Self(rawValue: raw) { return value }
        row.noteUnknownCase(of: Self.self, raw?._value)
        return _zero
    }
    /// Returns the case with this raw value.
    public static func _make(_ value: Value) -> Self? { RawValue._make(value).flatMap(Self.init(rawValue:)) }
    /// The raw value.
    public var _value: Value { rawValue._stored._value }
    /// The raw values of all cases.
    public static var _allowedValues: [Value] { allCases.map(\._value) }
}

extension String: AttributeRawValue {
    /// Returns String.
    public static func _attributeType(ofCases values: [String]) -> AttributeType { .string }
    /// Reads the text.
    public static func _readRaw(_ row: inout _RowReader) -> String? { row.read() }
}

extension Int: AttributeRawValue {
    /// Returns the smallest integer type that holds every case.
    public static func _attributeType(ofCases values: [Int]) -> AttributeType {
        if values.allSatisfy({ Int16(exactly: $0) != nil }) { return .integer16 }
        return values.allSatisfy { Int32(exactly: $0) != nil } ? .integer32 : .integer64
    }
    /// Reads the number from a column of any of the three widths.
    public static func _readRaw(_ row: inout _RowReader) -> Int? {
        let cell = row.next()
        return switch cell.bytes.count {
        case 2: Int(cell.int16)
        case 4: Int(cell.int32)
        case 8: Int(exactly: cell.int64)
        default: nil
        }
    }
}

extension Int16: AttributeRawValue {
    /// Returns Integer 16.
    public static func _attributeType(ofCases values: [Int16]) -> AttributeType { .integer16 }
    /// Reads the number.
    public static func _readRaw(_ row: inout _RowReader) -> Int16? { row.read() }
}

extension Int32: AttributeRawValue {
    /// Returns Integer 32.
    public static func _attributeType(ofCases values: [Int32]) -> AttributeType { .integer32 }
    /// Reads the number.
    public static func _readRaw(_ row: inout _RowReader) -> Int32? { row.read() }
}

extension Int64: AttributeRawValue {
    /// Returns Integer 64.
    public static func _attributeType(ofCases values: [Int64]) -> AttributeType { .integer64 }
    /// Reads the number.
    public static func _readRaw(_ row: inout _RowReader) -> Int64? { row.read() }
}
