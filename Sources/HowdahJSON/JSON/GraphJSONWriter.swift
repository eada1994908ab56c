import HowdahModel

/// Writes canonical JSON: no spaces, members in the order of their names' bytes, and only necessary escapes.
struct GraphJSONWriter {
    private(set) var bytes: [UInt8] = []
    /// A Boolean value that indicates whether the next element or member follows another one.
    private var isFollowing = false

    /// Returns and removes the written bytes.
    mutating func take() -> [UInt8] {
        defer {
            bytes.removeAll(keepingCapacity: true)
            isFollowing = false
        }
        return bytes
    }

    mutating func object(_ body: (inout GraphJSONWriter) throws -> Void) rethrows {
        try list(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    mutating func array(_ body: (inout GraphJSONWriter) throws -> Void) rethrows {
        try list(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    private mutating func list(
        _ open: UInt8, _ close: UInt8, _ body: (inout GraphJSONWriter) throws -> Void
    ) rethrows {
        separate()
        bytes.append(open)
        isFollowing = false
        try body(&self)
        bytes.append(close)
        isFollowing = true
    }

    /// Begins a member of an object; its value is next.
    mutating func name(_ name: String) {
        separate()
        JSONValue.appendQuoted(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        isFollowing = false
    }

    mutating func string(_ text: String) {
        separate()
        JSONValue.appendQuoted(text, to: &bytes)
        isFollowing = true
    }

    /// Writes a number, `true`, `false` or `null`.
    mutating func word(_ word: String) {
        separate()
        bytes.append(contentsOf: word.utf8)
        isFollowing = true
    }

    /// Ends a line.
    mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
        isFollowing = false
    }

    mutating func value(_ json: JSONValue) {
        switch json {
        case .null: word("null")
        case .bool(let flag): word(flag ? "true" : "false")
        case .number(let spelling): word(spelling)
        case .string(let text): string(text)
        case .array(let elements): array { for element in elements { $0.value(element) } }
        case .object(let members):
            let sorted = members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            object {
                for member in sorted {
                    $0.name(member.name)
                    $0.value(member.value)
                }
            }
        }
    }

    private mutating func separate() { if isFollowing { bytes.append(UInt8(ascii: ",")) } }
}
