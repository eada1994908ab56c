public import Foundation
import HowdahModel

/// A named conversion between the values of a Transformable attribute and their stored bytes.
///
/// ```swift
/// var options = StoreOptions()
/// options.valueTransformers = [
///     AttributeTransformer("PaletteTransformer", encode: { (palette: Palette) in try palette.data() }, decode: Palette.init),
///     AttributeTransformer(Colour.self),
/// ]
/// ```
/// `value(forKey:)` and `setValue(_:forKey:)` then use the values of attributes with this
/// `valueTransformerName`. Without a transformer they use the bytes.
///
/// Source: Foundation's `ValueTransformer`.
public struct AttributeTransformer: Sendable {
    /// The transformer's name in the model.
    public let name: String
    private let encode: @Sendable (Any) throws -> Data?
    private let decode: @Sendable (Data) throws -> any Sendable

    /// Creates a transformer of values of one type.
    ///
    /// - Parameters:
    ///   - encode: Returns the bytes of a value, which are equal for equal values. If it throws, the save
    ///     fails.
    ///   - decode: Returns the value of bytes. If it throws, the fetch fails.
    public init<Value: Sendable>(
        _ name: String, encode: @escaping @Sendable (Value) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> Value
    ) {
        self.name = name
        self.encode = { given in try (given as? Value).map(encode) }
        self.decode = decode
    }

    /// Returns the stored form of a program's value, or nil if it is of another type.
    func stored(_ given: Any) -> Value? {
        do {
            return try encode(given).map(Value.data)
        } catch {
            return .untransformed(by: name, error)
        }
    }

    /// Returns the value of stored bytes.
    ///
    /// - Throws: The error of the transformer.
    func value(_ data: Data) throws -> any Sendable { try decode(data) }
}

extension Value {
    /// Returns a substitute for a value that its transformer refused. No column accepts it, so the save fails
    /// with the reason.
    static func untransformed(by name: String, _ error: any Error) -> Value {
        .composite([
            .string(
                "\(ValidationIssue.transformation) \(name): \("\(error)".asSentence) Give it another value, or "
                    + "correct the transformer."
            )
        ])
    }

    /// The reason why the transformer refused the value of a Transformable attribute; nil if it did not.
    var refusalOfTransformer: String? {
        guard case .composite(let elements) = self, elements.count == 1, case .string(let text) = elements[0]
        else { return nil }
        return text
    }
}
