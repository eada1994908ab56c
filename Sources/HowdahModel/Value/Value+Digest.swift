internal import Crypto
internal import Foundation

extension Value {
    /// What a unique index by digest holds of a text or binary, as the server prints it; nil for other values.
    package var indexDigest: String? {
        switch self {
        case .string(let text): Insecure.MD5.hash(data: Data(text.precomposed.utf8)).hexadecimal
        case .uri(let url): Insecure.MD5.hash(data: Data(url.absoluteString.utf8)).hexadecimal
        case .data(let data): "\\x" + SHA256.hash(data: data).hexadecimal
        default: nil
        }
    }

    /// How many bytes an index over the value takes where values can be long; 0 for other values.
    package var indexedBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .uri(let url): url.absoluteString.utf8.count
        case .data(let data): data.count
        default: 0
        }
    }
}
