public import Foundation
public import HowdahModel
import PQClient

/// A type that can be the type of a Transformable attribute, stored as the bytes that it makes of itself.
///
/// ```swift
/// struct Colour: AttributeTransformable {
///     var red = 0.0, green = 0.0, blue = 0.0
///     init() {}
///     init(transformed data: Data) throws { … }
///     func transformed() throws -> Data { … }
/// }
/// ```
/// Equal values should make equal bytes, which is what predicates and conflicts compare. What `init(transformed:)` throws fails
/// the fetch, or the fault, with `FetchError.invalidValue`; what `transformed()` throws fails the save with
/// `SaveError.validation`. Neither may read a context: `init(transformed:)` runs while rows arrive, and what it asks of their
/// context is refused with `FetchError.invalidRequest`. Objects without a class find the type by name where the store was opened with its
/// ``AttributeTransformer``.
///
/// Source: Foundation's `ValueTransformer`, which Core Data finds by name.
public protocol AttributeTransformable: AttributeValue, Hashable {
    /// What the model calls the transformer; the type's name unless it is declared.
    static var valueTransformerName: String { get }
    /// What a property holds until it was set, and where a fault cannot be filled.
    init()
    /// The value that these bytes stand for.
    init(transformed data: Data) throws
    /// The bytes that stand for the value.
    func transformed() throws -> Data
}

extension AttributeTransformable {
    /// The type's name.
    public static var valueTransformerName: String { "\(Self.self)" }
    /// Transformable.
    public static var _attributeType: AttributeType { .transformable }
    /// The transformer's name, which the description keeps in its own field.
    public static var _userInfo: [String: String] { [MappingKey.transformer: valueTransformerName] }
    /// The empty value.
    public static var _zero: Self { Self() }
    /// Reads the bytes; what the type refuses fails the fetch.
    public static func _read(_ row: inout RowReader) -> Self {
        let cell = row.next()
        if cell.isNull { return Self() }
        do {
            return try Self(transformed: cell.data())
        } catch {
            row.noteUntransformable(valueTransformerName, error)
            return Self()
        }
    }
    /// The value of bytes.
    public static func _make(_ value: Value) -> Self? {
        guard case .data(let data) = value else { return nil }
        return try? Self(transformed: data)
    }
    /// The bytes; what no column takes, and the save reports, where the type refuses to make any.
    public var _value: Value {
        do {
            return .data(try transformed())
        } catch {
            return .untransformed(by: Self.valueTransformerName, error)
        }
    }
}

extension AttributeTransformer {
    /// The transformer of a type that brings its own.
    public init<Value: AttributeTransformable>(_ type: Value.Type) {
        self.init(
            type.valueTransformerName, encode: { (value: Value) in try value.transformed() },
            decode: Value.init(transformed:))
    }
}
