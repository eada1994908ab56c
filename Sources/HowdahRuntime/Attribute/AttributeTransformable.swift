public import Foundation
public import HowdahModel
import PQClient

/// A type that can be the type of a Transformable attribute, stored as bytes that it makes.
///
/// ```swift
/// struct Colour: AttributeTransformable {
///     var red = 0.0, green = 0.0, blue = 0.0
///     init() {}
///     init(transformed data: Data) throws { … }
///     func transformed() throws -> Data { … }
/// }
/// ```
/// Equal values should make equal bytes, which predicates and conflicts compare. If `init(transformed:)`
/// throws, the fetch or the fault fails with `FetchError.invalidValue`. If `transformed()` throws, the save
/// fails with `SaveError.validation`.
///
/// Neither may read a context. `init(transformed:)` runs while rows arrive, and its calls of their context
/// fail with `FetchError.invalidRequest`. Objects without a class find the type by name if you opened the
/// store with its ``AttributeTransformer``.
///
/// Source: Foundation's `ValueTransformer`, which Core Data finds by name.
public protocol AttributeTransformable: AttributeValue, Hashable {
    /// The transformer's name in the model; by default the type's name.
    static var valueTransformerName: String { get }
    /// Creates the value of a property before you set it, and of a fault that cannot be filled.
    init()
    /// Creates the value of these bytes.
    init(transformed data: Data) throws
    /// Returns the bytes of the value.
    func transformed() throws -> Data
}

extension AttributeTransformable {
    /// The type's name.
    public static var valueTransformerName: String { "\(Self.self)" }
    /// The attribute type, Transformable.
    public static var _attributeType: AttributeType { .transformable }
    /// The transformer's name, which the description stores in a separate field.
    public static var _userInfo: [String: String] { [MappingKey.transformer: valueTransformerName] }
    /// The empty value.
    public static var _zero: Self { Self() }
    /// Reads the bytes; if the type refuses them, the fetch fails.
    public static func _read(_ row: inout _RowReader) -> Self {
        let cell = row.next()
        if cell.isNull { return Self() }
        do {
            return try Self(transformed: cell.data())
        } catch {
            row.noteUntransformable(valueTransformerName, error)
            return Self()
        }
    }
    /// Returns the value of bytes.
    public static func _make(_ value: Value) -> Self? {
        guard case .data(let data) = value else { return nil }
        return try? Self(transformed: data)
    }
    /// The bytes. If the type cannot make them, a value that no column accepts and the save reports.
    public var _value: Value {
        do {
            return .data(try transformed())
        } catch {
            return .untransformed(by: Self.valueTransformerName, error)
        }
    }
}

extension AttributeTransformer {
    /// Creates the transformer of a type that has its own.
    public init<Value: AttributeTransformable>(_ type: Value.Type) {
        self.init(
            type.valueTransformerName, encode: { (value: Value) in try value.transformed() },
            decode: Value.init(transformed:))
    }
}
