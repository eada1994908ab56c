public import HowdahModel
public import PQClient

extension Bool: AttributeValue {
    /// Boolean.
    public static var _attributeType: AttributeType { .boolean }
    /// `false`.
    @inlinable public static var _zero: Bool { false }
    /// Reads a boolean column.
    @inlinable public static func _read(_ row: inout _RowReader) -> Bool {
        let cell = row.next()
        return cell.isNull ? false : cell.bool
    }
    /// Returns a Boolean, also for the numbers 0 and 1.
    public static func _make(_ value: Value) -> Bool? {
        switch value {
        case .bool(let flag): flag
        case .int(0): false
        case .int(1): true
        default: nil
        }
    }
    /// The generic form.
    public var _value: Value { .bool(self) }
}

extension Int16: AttributeValue {
    /// Integer 16.
    public static var _attributeType: AttributeType { .integer16 }
    /// 0.
    @inlinable public static var _zero: Int16 { 0 }
    /// Reads a smallint column.
    @inlinable public static func _read(_ row: inout _RowReader) -> Int16 {
        let cell = row.next()
        return cell.isNull ? 0 : cell.int16
    }
    /// Returns an integer in range.
    public static func _make(_ value: Value) -> Int16? { Int64._make(value).flatMap(Int16.init(exactly:)) }
    /// The generic form.
    public var _value: Value { .int(Int64(self)) }
}

extension Int32: AttributeValue {
    /// Integer 32.
    public static var _attributeType: AttributeType { .integer32 }
    /// 0.
    @inlinable public static var _zero: Int32 { 0 }
    /// Reads an integer column.
    @inlinable public static func _read(_ row: inout _RowReader) -> Int32 {
        let cell = row.next()
        return cell.isNull ? 0 : cell.int32
    }
    /// Returns an integer in range.
    public static func _make(_ value: Value) -> Int32? { Int64._make(value).flatMap(Int32.init(exactly:)) }
    /// The generic form.
    public var _value: Value { .int(Int64(self)) }
}

extension Int64: AttributeValue {
    /// Integer 64.
    public static var _attributeType: AttributeType { .integer64 }
    /// 0.
    @inlinable public static var _zero: Int64 { 0 }
    /// Reads a bigint column.
    @inlinable public static func _read(_ row: inout _RowReader) -> Int64 {
        let cell = row.next()
        return cell.isNull ? 0 : cell.int64
    }
    /// Returns an integer.
    public static func _make(_ value: Value) -> Int64? {
        if case .int(let number) = value { number } else { nil }
    }
    /// The generic form.
    public var _value: Value { .int(self) }
}

extension Int: AttributeValue {
    /// Integer 64.
    public static var _attributeType: AttributeType { .integer64 }
    /// 0.
    @inlinable public static var _zero: Int { 0 }
    /// Reads a bigint column.
    @inlinable public static func _read(_ row: inout _RowReader) -> Int { Int(Int64._read(&row)) }
    /// Returns an integer in range.
    public static func _make(_ value: Value) -> Int? { Int64._make(value).flatMap(Int.init(exactly:)) }
    /// The generic form.
    public var _value: Value { .int(Int64(self)) }
}

extension Double: AttributeValue {
    /// Double.
    public static var _attributeType: AttributeType { .double }
    /// 0.
    @inlinable public static var _zero: Double { 0 }
    /// Reads a double precision column.
    @inlinable public static func _read(_ row: inout _RowReader) -> Double {
        let cell = row.next()
        return cell.isNull ? 0 : cell.double
    }
    /// Returns a Double, also for a Float or integer.
    public static func _make(_ value: Value) -> Double? {
        switch value {
        case .double(let number): number
        case .float(let number): Double(number)
        case .int(let number): Double(exactly: number)
        default: nil
        }
    }
    /// The generic form.
    public var _value: Value { .double(self) }
}

extension Float: AttributeValue {
    /// Float.
    public static var _attributeType: AttributeType { .float }
    /// 0.
    @inlinable public static var _zero: Float { 0 }
    /// Reads a real column.
    @inlinable public static func _read(_ row: inout _RowReader) -> Float {
        let cell = row.next()
        return cell.isNull ? 0 : cell.float
    }
    /// Returns a Float, also for a Double or integer that a Float holds exactly.
    public static func _make(_ value: Value) -> Float? {
        switch value {
        case .float(let number): number
        case .double(let number): number.isNaN ? .nan : Float(exactly: number)
        case .int(let number): Float(exactly: number)
        default: nil
        }
    }
    /// The generic form.
    public var _value: Value { .float(self) }
}

extension String: AttributeValue {
    /// String.
    public static var _attributeType: AttributeType { .string }
    /// The empty string.
    @inlinable public static var _zero: String { "" }
    /// Reads a text column.
    @inlinable public static func _read(_ row: inout _RowReader) -> String {
        let cell = row.next()
        return cell.isNull ? "" : cell.string()
    }
    /// Returns a string.
    public static func _make(_ value: Value) -> String? {
        if case .string(let text) = value { text } else { nil }
    }
    /// The generic form.
    public var _value: Value { .string(self) }
    /// The string in Unicode normalisation form C.
    public var _stored: String { howdahNormalized }
}
