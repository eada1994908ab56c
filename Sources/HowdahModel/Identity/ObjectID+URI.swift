public import Foundation

extension ObjectID {
    private static var scheme: String { "x-howdah" }

    /// The id as a URI that can be kept and sent: `x-howdah://<store UUID>/<stored entity name>/p<key>`.
    ///
    /// The entity's name is percent-encoded. A temporary id has a URI too, with `t` instead of `p`, for logs; it
    /// is not accepted back.
    public var uriRepresentation: URL {
        let entity = entityName.utf8.map(Self.escaped).joined()
        let kind = isTemporaryID ? "t" : "p"
        let text = "\(Self.scheme)://\(storeIdentifier.uuidString)/\(entity)/\(kind)\(key.magnitude)"
        guard let url = URL(string: text) else {
            preconditionFailure("A URI of letters, digits and escapes is always valid: \(text)")
        }
        return url
    }

    /// Reads a URI made by ``uriRepresentation``; nil for any other one, and for one of a temporary id.
    ///
    /// Whether there is such a store, entity or object is not looked up.
    public init?(uriRepresentation url: URL) {
        let parts = url.absoluteString.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].lowercased() == Self.scheme + ":", parts[1].isEmpty,
            let store = UUID(uuidString: String(parts[2])),
            let entity = String(parts[3]).removingPercentEncoding, !entity.isEmpty,
            parts[4].first == "p", let key = Int64(parts[4].dropFirst()), key >= 0,
            // One id has one URI: no signs, no leading zeros.
            String(key) == parts[4].dropFirst()
        else { return nil }
        self.init(storeIdentifier: store, entityName: entity, key: key)
    }

    /// Dots too: a name that is only dots would be a step up in a path.
    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            String(UnicodeScalar(byte))
        default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }
    }
}

/// What the id of every class can do; only ``ObjectID`` conforms.
///
/// A property and a method of one name cannot stand in one type.
public protocol ObjectIdentification: Sendable {
    /// The id as a URI.
    var uriRepresentation: URL { get }
}

extension ObjectID: ObjectIdentification {}

extension ObjectIdentification {
    /// The id as a URI that can be kept and sent, in the spelling of Core Data.
    ///
    /// Source: Core Data's `uriRepresentation()`.
    public func uriRepresentation() -> URL { uriRepresentation }
}

/// Encoded as the text of ``uriRepresentation``.
extension ObjectID: Codable {
    /// Writes the URI.
    ///
    /// - Throws: `EncodingError` for a temporary id, which would mean nothing to whoever reads it.
    public func encode(to encoder: any Encoder) throws {
        guard !isTemporaryID else {
            throw EncodingError.invalidValue(
                self,
                .init(
                    codingPath: encoder.codingPath,
                    debugDescription:
                        "A temporary id of \(entityName) cannot be encoded. Save the object first."))
        }
        var container = encoder.singleValueContainer()
        try container.encode(uriRepresentation.absoluteString)
    }

    /// Reads the URI.
    ///
    /// - Throws: `DecodingError` when the text is no URI of a permanent id.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let url = URL(string: text), let id = Self(uriRepresentation: url) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\"\(text)\" is not the URI of an object id. Use the form "
                    + "x-howdah://<store UUID>/<entity>/p<key>.")
        }
        self = id
    }
}
