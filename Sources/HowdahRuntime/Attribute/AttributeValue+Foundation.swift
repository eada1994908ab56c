public import Foundation
public import HowdahModel
public import PQClient

extension Date: AttributeValue {
    /// Date.
    public static var _attributeType: AttributeType { .date }
    /// The reference date.
    public static var _zero: Date { Date(timeIntervalSinceReferenceDate: 0) }
    /// Reads a timestamptz column; if it is one of PostgreSQL's infinities, the fetch fails.
    @inlinable public static func _read(_ row: inout _RowReader) -> Date {
        let cell = row.next()
        if cell.isNull { return Date(timeIntervalSinceReferenceDate: 0) }
        let date = cell.date
        if !date.timeIntervalSinceReferenceDate.isFinite { row.noteInfiniteDate(date) }
        return date
    }
    /// Returns a date.
    public static func _make(_ value: Value) -> Date? {
        if case .date(let date) = value { date } else { nil }
    }
    /// The generic form.
    public var _value: Value { .date(self) }
    /// The date rounded to whole microseconds.
    public var _stored: Date { howdahRoundedToMicroseconds }
}

extension Data: AttributeValue {
    /// Binary.
    public static var _attributeType: AttributeType { .binary }
    /// No bytes.
    public static var _zero: Data { Data() }
    /// Reads a bytea column.
    @inlinable public static func _read(_ row: inout _RowReader) -> Data {
        let cell = row.next()
        return cell.isNull ? Data() : cell.data()
    }
    /// Returns bytes.
    public static func _make(_ value: Value) -> Data? {
        if case .data(let data) = value { data } else { nil }
    }
    /// The generic form.
    public var _value: Value { .data(self) }
}

extension UUID: AttributeValue {
    /// UUID.
    public static var _attributeType: AttributeType { .uuid }
    /// The nil UUID.
    public static var _zero: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
    /// Reads a uuid column.
    @inlinable public static func _read(_ row: inout _RowReader) -> UUID {
        let cell = row.next()
        return cell.isNull ? UUID._zero : cell.uuid
    }
    /// Returns a UUID.
    public static func _make(_ value: Value) -> UUID? {
        if case .uuid(let uuid) = value { uuid } else { nil }
    }
    /// The generic form.
    public var _value: Value { .uuid(self) }
}

extension Decimal: AttributeValue {
    /// Decimal.
    public static var _attributeType: AttributeType { .decimal }
    /// 0.
    public static var _zero: Decimal { 0 }
    /// Reads a numeric column; if it has more than 38 digits, the fetch fails.
    public static func _read(_ row: inout _RowReader) -> Decimal {
        let cell = row.next()
        if cell.isNull { return 0 }
        do {
            return try cell.decimal()
        } catch {
            row.noteUnreadable("a numeric that is infinite or exceeds Decimal's 38 digits", cell.numericText)
            return 0
        }
    }
    /// Returns a Decimal, an integer, or the shortest decimal that reads as the same Double or Float.
    public static func _make(_ value: Value) -> Decimal? {
        switch value {
        case .decimal(let number): number
        case .int(let number): Decimal(number)
        case .double(let number): number.shortestDecimal
        case .float(let number): number.isFinite ? Decimal(string: number.description, locale: nil) : nil
        default: nil
        }
    }
    /// The generic form.
    public var _value: Value { .decimal(self) }
}

extension URL: AttributeValue {
    /// URI.
    public static var _attributeType: AttributeType { .uri }
    /// The blank URL, `about:blank`.
    public static var _zero: URL { ValueCoding.blankURL }
    /// Reads a text column with a URI; if the text is not one, the fetch fails.
    public static func _read(_ row: inout _RowReader) -> URL {
        let cell = row.next()
        if cell.isNull { return _zero }
        let text = cell.string()
        if let url = ValueCoding.url(text) { return url }
        row.noteUnreadable("a text that is not a URL", text)
        return _zero
    }
    /// Returns a URL.
    public static func _make(_ value: Value) -> URL? {
        if case .uri(let url) = value { url } else { nil }
    }
    /// The generic form.
    public var _value: Value { .uri(self) }
    /// The URL without the base that it is relative to.
    public var _stored: URL { absoluteURL }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
    /// The wrapped type's.
    public static var _attributeType: AttributeType { Wrapped._attributeType }
    /// The wrapped type's.
    public static var _allowedValues: [Value] { Wrapped._allowedValues }
    /// The wrapped type's.
    public static var _userInfo: [String: String] { Wrapped._userInfo }
    /// The wrapped type's.
    @inlinable public static var _columnCount: Int { Wrapped._columnCount }
    /// nil.
    @inlinable public static var _zero: Wrapped? { nil }
    /// Reads nil if every column is NULL.
    @inlinable public static func _read(_ row: inout _RowReader) -> Wrapped? {
        if row.skipIfNull(Wrapped._columnCount) { return nil }
        return Wrapped._read(&row)
    }
    /// Returns nil for NULL, otherwise the result of the wrapped type.
    public static func _make(_ value: Value) -> Wrapped?? {
        if case .null = value { return .some(nil) }
        guard let wrapped = Wrapped._make(value) else { return nil }
        return .some(wrapped)
    }
    /// The generic form.
    public var _value: Value { self?._value ?? .null }
    /// A Boolean value that indicates whether every column is NULL.
    @inlinable public var _isNull: Bool { self?._isNull ?? true }
    /// The wrapped value in the form in which the store returns it.
    public var _stored: Wrapped? { flatMap { $0._isNull ? nil : $0._stored } }
}
