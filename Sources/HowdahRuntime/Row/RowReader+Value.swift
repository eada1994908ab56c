import Foundation
import HowdahModel
import PQClient

extension _RowReader {
    /// Reads a generic value of an attribute type from the next columns.
    mutating func value(_ type: AttributeType) -> Value {
        if case .composite(let description) = type.kind {
            let start = ordinal
            let elements = description.elements.map { $0.isStored ? value($0.type) : .null }
            let isNull = (start..<ordinal).allSatisfy { row[Int(positions[$0])].isNull }
            return isNull ? .null : .composite(elements)
        }
        if case .undefined = type.kind { return .null }
        if skipIfNull(1) { return .null }
        switch type.kind {
        case .integer16: return .int(Int64(read(Int16.self)))
        case .integer32: return .int(Int64(read(Int32.self)))
        case .integer64: return .int(read(Int64.self))
        case .decimal: return .decimal(read(Decimal.self))
        case .double: return .double(read(Double.self))
        case .float: return .float(read(Float.self))
        case .string: return .string(read(String.self))
        case .boolean: return .bool(read(Bool.self))
        case .date: return .date(read(Date.self))
        case .binary, .transformable: return .data(read(Data.self))
        case .uuid: return .uuid(read(UUID.self))
        case .uri: return .uri(read(URL.self))
        case .array(let element): return array(of: element)
        case .undefined, .composite: return .null
        }
    }

    private mutating func array(of element: AttributeType) -> Value {
        switch element.kind {
        case .integer16: read([Int16].self)._value
        case .integer32: read([Int32].self)._value
        case .integer64: read([Int64].self)._value
        case .decimal: read([Decimal].self)._value
        case .double: read([Double].self)._value
        case .float: read([Float].self)._value
        case .string: read([String].self)._value
        case .boolean: read([Bool].self)._value
        case .date: read([Date].self)._value
        case .binary: read([Data].self)._value
        case .uuid: read([UUID].self)._value
        case .uri: read([URL].self)._value
        case .undefined, .transformable, .composite, .array: .null
        }
    }
}
