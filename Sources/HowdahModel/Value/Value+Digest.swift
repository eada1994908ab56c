internal import Foundation

extension Value {
    /// The digest of a text or binary in a unique index, as the server prints it; nil for other values.
    package var indexDigest: String? {
        switch self {
        case .string(let text): MD5.hexadecimal(of: text.precomposed.utf8)
        case .uri(let url): MD5.hexadecimal(of: url.absoluteString.utf8)
        case .data(let data): "\\x" + SHA256.hexadecimal(of: data)
        default: nil
        }
    }

    /// The number of bytes of a text, URI or binary in an index; 0 for other values.
    package var indexedBytes: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .uri(let url): url.absoluteString.utf8.count
        case .data(let data): data.count
        default: 0
        }
    }
}
