public import Foundation
public import HowdahModel
public import PQClient

/// A type whose arrays can be the type of an attribute: `[String]`, `[Int]`, `[UUID]` …
public protocol ArrayElement: AttributeValue {
    /// Decodes an array's element from binary form.
    static func _decode(_ cell: Cell) throws -> Self
}

extension Array: AttributeValue where Element: ArrayElement {
    /// The attribute type: an array of the element's type.
    public static var _attributeType: AttributeType { .array(of: Element._attributeType) }
    /// No elements.
    public static var _zero: [Element] { [] }
    /// Reads an array column; if it contains NULL, or has several dimensions, the fetch fails.
    public static func _read(_ row: inout _RowReader) -> [Element] {
        let cell = row.next()
        if cell.isNull { return [] }
        var index = -1
        do {
            return try cell.array { element in
                index += 1
                return try Element._decode(element)
            }
        } catch let error as ArrayElementError {
            row.noteUnreadable("at index \(index) of its array \(error.what)", error.value)
        } catch {
            row.noteUnreadable(
                "an array that contains NULL or has several dimensions",
                databaseError: error as? PostgresError)
        }
        return []
    }
    /// Returns an array if all elements fit.
    public static func _make(_ value: Value) -> [Element]? {
        guard case .array(let values) = value else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for value in values {
            guard let element = Element._make(value) else { return nil }
            elements.append(element)
        }
        return elements
    }
    /// The generic form.
    public var _value: Value { .array(map(\._value)) }
    /// Each element in the form in which the store returns it.
    public var _stored: [Element] { map(\._stored) }
}

extension Bool: ArrayElement {
    /// Reads a boolean.
    public static func _decode(_ cell: Cell) -> Bool { cell.bool }
}
extension Int16: ArrayElement {
    /// Reads a smallint.
    public static func _decode(_ cell: Cell) -> Int16 { cell.int16 }
}
extension Int32: ArrayElement {
    /// Reads an integer.
    public static func _decode(_ cell: Cell) -> Int32 { cell.int32 }
}
extension Int64: ArrayElement {
    /// Reads a bigint.
    public static func _decode(_ cell: Cell) -> Int64 { cell.int64 }
}
extension Int: ArrayElement {
    /// Reads a bigint.
    public static func _decode(_ cell: Cell) -> Int { Int(cell.int64) }
}
extension Double: ArrayElement {
    /// Reads a double precision.
    public static func _decode(_ cell: Cell) -> Double { cell.double }
}
extension Float: ArrayElement {
    /// Reads a real.
    public static func _decode(_ cell: Cell) -> Float { cell.float }
}
extension String: ArrayElement {
    /// Reads a text.
    public static func _decode(_ cell: Cell) -> String { cell.string() }
}
extension Date: ArrayElement {
    /// Reads a timestamptz.
    public static func _decode(_ cell: Cell) throws -> Date {
        let date = cell.date
        guard date.timeIntervalSinceReferenceDate.isFinite else {
            throw ArrayElementError(what: "an infinite date", value: nil)
        }
        return date
    }
}
extension Data: ArrayElement {
    /// Reads a bytea.
    public static func _decode(_ cell: Cell) -> Data { cell.data() }
}
extension UUID: ArrayElement {
    /// Reads a uuid.
    public static func _decode(_ cell: Cell) -> UUID { cell.uuid }
}
extension Decimal: ArrayElement {
    /// Reads a numeric; if it has more than 38 digits, the fetch fails.
    public static func _decode(_ cell: Cell) throws -> Decimal {
        do {
            return try cell.decimal()
        } catch {
            throw ArrayElementError(
                what: "a numeric that is infinite or exceeds Decimal's 38 digits", value: cell.numericText)
        }
    }
}
extension URL: ArrayElement {
    /// Reads a text with a URI.
    public static func _decode(_ cell: Cell) throws -> URL {
        let text = cell.string()
        guard let url = ValueCoding.url(text) else {
            throw ArrayElementError(what: "a text that is not a URL", value: text)
        }
        return url
    }
}

/// An element of an array that its type cannot hold.
private struct ArrayElementError: Error {
    let what: String
    let value: String?
}
