/// A message of PostgreSQL's protocol.
struct WireMessage: Sendable {
    /// All of it.
    var bytes: [UInt8]
    /// Indicates whether it is a client's first one, which has no type.
    let isFirst: Bool

    /// Makes a message of a type and a body.
    init(_ type: Character, _ body: [UInt8] = []) {
        bytes = [type.asciiValue ?? 0] + Self.integer(body.count + 4) + body
        isFirst = false
    }

    init(bytes: [UInt8], isFirst: Bool) { (self.bytes, self.isFirst) = (bytes, isFirst) }

    /// The letter of the type; a blank for a client's first one.
    var type: Character { isFirst ? " " : Character(Unicode.Scalar(bytes[0])) }

    /// The bytes after the length.
    var body: ArraySlice<UInt8> { bytes.dropFirst(isFirst ? 4 : 5) }

    /// Indicates whether a server says by it that it has committed.
    var isEndOfCommit: Bool { type == "C" && body.elementsEqual(Self.text("COMMIT")) }

    /// Four bytes, the highest first.
    static func integer(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// The number that four bytes are.
    static func integer(_ bytes: ArraySlice<UInt8>) -> Int { bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } }

    /// A text and its zero byte.
    static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

    /// Takes a text and its zero byte off the front.
    static func takeText(_ bytes: inout ArraySlice<UInt8>) -> String {
        let text = bytes.prefix { $0 != 0 }
        bytes = bytes.dropFirst(text.count + 1)
        return String(decoding: text, as: UTF8.self)
    }

    /// An error that ends the session, as PgBouncer words it.
    static func fatal(_ text: String) -> WireMessage { error("FATAL", text) }

    /// The answer of PgBouncer 1.18 for a server that it has lost.
    static let crashed = error("ERROR", "server conn crashed?")

    private static func error(_ severity: String, _ text: String) -> WireMessage {
        WireMessage(
            "E",
            [("S", severity), ("V", severity), ("C", "08P01"), ("M", text)]
                .flatMap { Array($0.utf8) + Self.text($1) } + [0])
    }
}
