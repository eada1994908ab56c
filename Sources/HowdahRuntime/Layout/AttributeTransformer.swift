public import Foundation
import HowdahModel

/// How the values of a Transformable attribute and their stored bytes become each other, by the name that the model gives.
///
/// ```swift
/// var options = StoreOptions()
/// options.valueTransformers = [
///     AttributeTransformer("PaletteTransformer", encode: { (palette: Palette) in try palette.data() }, decode: Palette.init),
///     AttributeTransformer(Colour.self),
/// ]
/// ```
/// `value(forKey:)` and `setValue(_:forKey:)` then have the values of attributes whose `valueTransformerName` it is; without
/// one they have the bytes.
///
/// Source: Foundation's `ValueTransformer`.
public struct AttributeTransformer: Sendable {
    /// What the model calls it.
    public let name: String
    private let encode: @Sendable (Any) throws -> Data?
    private let decode: @Sendable (Data) throws -> any Sendable

    /// A transformer of values of one type.
    ///
    /// - Parameters:
    ///   - encode: the bytes of a value; the same ones for equal values. What it throws fails the save.
    ///   - decode: the value of bytes. What it throws fails the fetch.
    public init<Value: Sendable>(
        _ name: String, encode: @escaping @Sendable (Value) throws -> Data,
        decode: @escaping @Sendable (Data) throws -> Value
    ) {
        self.name = name
        self.encode = { given in try (given as? Value).map(encode) }
        self.decode = decode
    }

    /// The stored form of something a program gave, or nil where it is of another type.
    func stored(_ given: Any) -> Value? {
        do {
            return try encode(given).map(Value.data)
        } catch {
            return .untransformed(by: name, error)
        }
    }

    /// The value that stored bytes stand for.
    ///
    /// - Throws: what the transformer throws.
    func value(_ data: Data) throws -> any Sendable { try decode(data) }
}

extension Value {
    /// What stands for a value that its transformer refused; no column holds it, so that the save fails and says why.
    static func untransformed(by name: String, _ error: any Error) -> Value {
        .composite([
            .string(
                "could not be transformed by \(name): \(error). Give it another value, or correct the transformer."
            )
        ])
    }

    /// Why the transformer refused the value of a Transformable attribute; nil where it did not.
    var refusalOfTransformer: String? {
        guard case .composite(let elements) = self, elements.count == 1, case .string(let text) = elements[0]
        else { return nil }
        return text
    }
}
