import Foundation
import HowdahModel
import PQClient

/// A position in the order of a request, at which the next page begins; a text that you can pass to clients.
///
/// Its text has only letters, digits, `-` and `_`. It contains the last object's id and values of the sort
/// keys, which anyone can decode. It is neither a secret nor a permission: the request's predicate must limit
/// the objects that a client may find.
public struct PageCursor: Hashable, Sendable {
    /// The cursor as text.
    public let text: String

    /// Creates a cursor from its text; the fetch that uses it checks it.
    public init(_ text: String) { self.text = text }

    private static let version: UInt8 = 1

    /// Creates the cursor of a row, whose cells are those of the sources.
    init(_ cells: [[UInt8]?], for order: OrderIdentity) {
        var bytes: [UInt8] = [Self.version]
        bytes += order.digest.bytes
        for cell in cells {
            bytes += Int32(cell?.count ?? -1).bytes
            bytes += cell ?? []
        }
        bytes += bytes.digest.bytes
        text = Self.text(of: bytes)
    }

    private static func text(of bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Returns the cells of the position.
    ///
    /// - Throws: `FetchError.invalidCursor` for a text that is not a cursor of this order.
    func cells(for order: OrderIdentity) throws -> [[UInt8]?] {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let encoded = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: encoded), data.count >= 17 else { throw Self.unreadable }
        let bytes = [UInt8](data)
        // Several texts stand for the same bytes; one was handed out.
        guard bytes.dropLast(8).digest.bytes.elementsEqual(bytes.suffix(8)), Self.text(of: bytes) == text
        else { throw Self.unreadable }
        guard bytes[0] == Self.version else {
            throw FetchError(
                .invalidCursor,
                "Another version of the program created the cursor. Begin with the first page.")
        }
        guard bytes[1..<9].elementsEqual(order.digest.bytes) else {
            throw FetchError(
                .invalidCursor,
                "The cursor is of a request with another entity or order. Pass it to the same request, or begin with "
                    + "the first page.")
        }
        var rest = bytes[9..<(bytes.count - 8)]
        var cells: [[UInt8]?] = []
        while rest.count >= 4 {
            let length = rest.prefix(4).reduce(Int32(0)) { $0 << 8 | Int32($1) }
            rest = rest.dropFirst(4)
            guard length >= 0 else {
                cells.append(nil)
                continue
            }
            guard rest.count >= Int(length) else { throw Self.unreadable }
            cells.append(Array(rest.prefix(Int(length))))
            rest = rest.dropFirst(Int(length))
        }
        guard rest.isEmpty, cells.count == order.count, cells.last != .some(nil) else {
            throw Self.unreadable
        }
        return cells
    }

    static var unreadable: FetchError {
        FetchError(
            .invalidCursor,
            "The text is not a cursor, or was truncated or altered. Begin with the first page.")
    }
}

extension PageCursor: CustomStringConvertible {
    /// The cursor as text.
    public var description: String { text }
}

extension PageCursor: Codable {
    /// Decodes the text.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The facts that two requests must share so that a cursor of one is valid for the other.
struct OrderIdentity {
    let digest: UInt64
    let count: Int

    init(_ fetch: RenderedFetch) {
        let lines = fetch.sources.map { "\($0.criterion) \($0.type.sqlName)" }
        digest = ([fetch.layout.storedName] + lines).joined(separator: "\n").utf8.digest
        count = fetch.sources.count
    }
}

extension Sequence<UInt8> {
    /// The FNV-1a hash, which is the same in every process, unlike that of Hasher.
    fileprivate var digest: UInt64 {
        reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

extension FixedWidthInteger {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}
