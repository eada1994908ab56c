/// JSON as it was written: numbers keep their spelling, and members their order.
///
/// Not `JSONDocument`, whose numbers are Decimals: an Integer 64, a Double and 50 digits in a `jsonb` column all
/// have to come back as they were.
indirect enum GraphJSON: Sendable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([GraphJSON])
    case object([Member])

    struct Member: Sendable {
        let name: String
        let value: GraphJSON
    }

    /// What it is, for messages; never the value itself.
    var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The members of an object; nil for everything else.
    var members: [Member]? { if case .object(let members) = self { members } else { nil } }

    /// A member's name that equals an earlier one, as Swift compares strings; nil where there is none.
    ///
    /// The reader compares bytes, because `jsonb` does.
    var repeatedName: String? {
        guard let members, members.count > 1 else { return nil }
        var names: Set<String> = []
        return members.first { !names.insert($0.name).inserted }?.name
    }

    /// The message about such a name.
    static let repetition = "a member's name comes twice in one object"

    /// The text of a string; nil for everything else.
    var text: String? { if case .string(let text) = self { text } else { nil } }
}
