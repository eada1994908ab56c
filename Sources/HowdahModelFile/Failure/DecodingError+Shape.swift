import Foundation

extension DecodingError {
    /// The message about a missing key, or a value of another type than expected; nil for other errors.
    var complaintAboutShape: String? {
        switch self {
        case .keyNotFound(let key, _): "The key \(key.stringValue) is missing. Add the key."
        case .typeMismatch(let type, _): "The value is not \(Self.shape(type)). Set \(Self.shape(type))."
        case .valueNotFound(let type, _): "The value is null. Set \(Self.shape(type))."
        default: nil
        }
    }

    /// Returns the name of a type in JSON, with an article.
    private static func shape(_ type: Any.Type) -> String {
        if type is any BinaryInteger.Type { return "an integer" }
        if type is any BinaryFloatingPoint.Type || type == Decimal.self { return "a number" }
        if type == Bool.self { return "true or false" }
        let name = "\(type)"
        if name.hasPrefix("Array<") { return "an array" }
        return name.hasPrefix("Dictionary<") ? "an object { }" : "a string"
    }
}
