package import Foundation

/// A place in the history of a store, for the changes after it.
///
/// Keep it as text or with `Codable`, and compare it only with `==`. It has 40 to 100 characters, and a few more
/// for each transaction that is open when it is made, so keep it in a column without a limit. A token is of one
/// store and not portable to a copy.
///
/// Source: Core Data's `NSPersistentHistoryToken`.
public struct HistoryToken: Hashable, Sendable {
    /// The first bytes of the store's identifier, which distinguish it from other stores.
    package let store: UInt32
    /// The history that the token is of; a reset begins another one.
    package let incarnation: UUID
    /// The run of the server in which the snapshots were taken.
    package let era: HistoryEra
    /// The transactions whose changes are before the token.
    package let snapshot: StoreSnapshot
    /// The position inside a window of changes that is not read to its end; nil between two windows.
    package let page: Page?

    /// A position between two history transactions of a window, or inside a large one.
    package struct Page: Hashable, Sendable {
        /// The end of the window.
        package let end: StoreSnapshot
        /// The number of the last history transaction that was read, or of which a part was read.
        package let number: Int64
        /// The last part of it that was read.
        package let part: Int32

        package init(end: StoreSnapshot, number: Int64, part: Int32) {
            self.end = end
            self.number = number
            self.part = part
        }
    }

    package init(
        store: UInt32, incarnation: UUID, era: HistoryEra, snapshot: StoreSnapshot, page: Page? = nil
    ) {
        self.store = store
        self.incarnation = incarnation
        self.era = era
        self.snapshot = snapshot
        self.page = page
    }
}

extension HistoryToken {
    /// The part of a store's identifier that tokens hold.
    package static func mark(of identifier: UUID) -> UInt32 {
        withUnsafeBytes(of: identifier.uuid) { UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) }
    }
}

extension HistoryToken: LosslessStringConvertible {
    /// The token as text, of letters, digits, `-`, `_` and one dot.
    public var description: String { Self.mark + HistoryTokenBytes.encoded(self).base64URL }

    /// Creates a token from its text; nil if no token has this text.
    ///
    /// The call does not check that the store still has the changes after it.
    public init?(_ description: String) {
        guard description.hasPrefix(Self.mark),
            let bytes = [UInt8](base64URL: description.dropFirst(Self.mark.count)),
            let token = HistoryTokenBytes.decoded(bytes)
        else { return nil }
        self = token
    }

    private static let mark = "h1."
}

/// A token is encoded as its text.
extension HistoryToken: Codable {
    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// Decodes the text.
    ///
    /// - Throws: `DecodingError` if no token has the text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let token = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "The text is not a history token. Use the text of HistoryToken.description.")
        }
        self = token
    }
}

extension [UInt8] {
    /// The bytes in Base64 for URLs, without padding.
    fileprivate var base64URL: String {
        Data(self).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
    }

    /// Creates the bytes of a text in Base64 for URLs; nil for a text that no bytes have.
    fileprivate init?(base64URL text: Substring) {
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") }) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let plain = String(text).replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: plain) else { return nil }
        self = [UInt8](data)
        guard base64URL == text else { return nil }
    }
}
