/// The version of an object or of a document, as text for an `ETag` and `If-Match`.
///
/// The text is opaque: compare versions only with `==`. An object's version changes when a save or a batch writes its
/// row, and never returns to an earlier one. It stays the same if a derived attribute is computed again after other
/// objects changed. It also stays if a deletion clears a to-one relationship without an inverse. A document's version
/// is a digest of everything in it.
public struct ObjectVersion: Hashable, Sendable, LosslessStringConvertible {
    /// The text, which has letters, digits, `-` and `_` only.
    public let description: String

    private static let rowMark: Character = "r"
    private static let documentMark: Character = "d"

    /// Creates a version from its text; nil if no version has this text.
    public init?(_ description: String) {
        guard let mark = description.first else { return nil }
        let rest = description.dropFirst()
        switch mark {
        case Self.rowMark:
            // One version has one text: no signs, no leading zeros.
            guard let number = Int64(rest), String(number) == rest else { return nil }
        case Self.documentMark:
            guard rest.utf8.count == 64, rest.allSatisfy({ $0.isASCII && $0.isHexDigit && !$0.isUppercase })
            else {
                return nil
            }
        default: return nil
        }
        self.description = description
    }

    /// The version of a row.
    package init(row: Int64) { description = "\(Self.rowMark)\(row)" }

    /// The version of a document with these parts.
    package init(digestOf parts: some Sequence<UInt8>) {
        description = "\(Self.documentMark)\(SHA256.hexadecimal(of: parts))"
    }

    /// The number in the row's column; nil for the version of a document.
    package var row: Int64? { description.first == Self.rowMark ? Int64(description.dropFirst()) : nil }
}

/// The spelling in HTTP.
extension ObjectVersion {
    /// The version as a strong entity tag: its text in quotation marks.
    public var entityTag: String { "\"\(description)\"" }

    /// Creates a version from one strong entity tag.
    ///
    /// It is nil for a weak tag, for `*`, for a list, and for a tag of another program. An update could not
    /// compare such a tag.
    public init?(entityTag: String) {
        guard entityTag.count > 2, entityTag.first == "\"", entityTag.last == "\"" else { return nil }
        self.init(String(entityTag.dropFirst().dropLast()))
    }
}

/// A version is encoded as its text.
extension ObjectVersion: Codable {
    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Decodes the text.
    ///
    /// - Throws: `DecodingError` if no version has the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let version = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "The text is not the version of an object. Use the text of ObjectVersion.description.")
        }
        self = version
    }
}
