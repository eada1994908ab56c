public import Foundation

extension ObjectID {
    private static var scheme: String { "x-howdah" }

    /// The id as a URI that you can keep and send: `x-howdah://<store UUID>/<stored entity name>/p<key>`.
    ///
    /// The entity's name is percent-encoded. A temporary id has a URI too, with `t` instead of `p`, for logs;
    /// you cannot create an id from it.
    public var uriRepresentation: URL {
        let entity = entityName.utf8.map(Self.escaped).joined()
        let kind = isTemporaryID ? "t" : "p"
        let text = "\(Self.scheme)://\(storeIdentifier.uuidString)/\(entity)/\(kind)\(key.magnitude)"
        guard let url = URL(string: text) else {
            preconditionFailure(
                "The object id cannot be written as a URI: \(text). Report this as a bug of Howdah.")
        }
        return url
    }

    /// Creates an id from a ``uriRepresentation``; nil for any other URI, and for that of a temporary id.
    ///
    /// The call does not check that the store, entity or object exists.
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

    /// Escapes a byte of a name. Dots too: a name of dots only would be a step up in a path.
    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            String(UnicodeScalar(byte))
        default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }
    }
}

/// The members of the ids of every class; only ``ObjectID`` conforms.
///
/// The protocol exists because a type cannot have a property and a method of one name.
public protocol ObjectIdentification: Sendable {
    /// The id as a URI.
    var uriRepresentation: URL { get }
}

extension ObjectID: ObjectIdentification {}

extension ObjectIdentification {
    /// Returns the id as a URI that you can keep and send, in the spelling of Core Data.
    ///
    /// Source: Core Data's `uriRepresentation()`.
    public func uriRepresentation() -> URL { uriRepresentation }
}

/// An id is encoded as the text of its ``uriRepresentation``.
extension ObjectID: Codable {
    /// Encodes the URI.
    ///
    /// - Throws: `EncodingError` for a temporary id, which has no meaning for a reader.
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

    /// Decodes the URI.
    ///
    /// - Throws: `DecodingError` if the text is not the URI of a permanent id.
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
