extension PredicateTree: CustomStringConvertible {
    /// A format string that needs no arguments and parses to an equal tree.
    ///
    /// The tree of a wrong format prints its error instead, in a form that does not parse.
    public var description: String {
        var text = ""
        Self.write(root, into: &text)
        return text
    }

    private static func write(_ node: Node, into text: inout String) {
        switch node {
        case .constant(let holds): text += holds ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .invalid(let error): text += "<\(error)>"
        case .not(let inner):
            text += "NOT "
            writeMember(inner, into: &text)
        case .and(let members): write(members, joinedBy: " AND ", empty: "TRUEPREDICATE", into: &text)
        case .or(let members): write(members, joinedBy: " OR ", empty: "FALSEPREDICATE", into: &text)
        case .comparison(let lhs, let op, let rhs, let options, let modifier):
            if modifier != .direct { text += modifier.rawValue + " " }
            text += "\(lhs) \(op.rawValue)\(options) \(rhs)"
        }
    }

    private static func write(
        _ members: [Node], joinedBy separator: String, empty: String, into text: inout String
    ) {
        if members.isEmpty { text += empty }
        for (index, member) in members.enumerated() {
            if index > 0 { text += separator }
            writeMember(member, into: &text)
        }
    }

    private static func writeMember(_ node: Node, into text: inout String) {
        switch node {
        case .and, .or:
            text += "("
            write(node, into: &text)
            text += ")"
        default: write(node, into: &text)
        }
    }

    /// A string literal that the parser reads back, with control characters escaped.
    static func quoted(_ string: String) -> String {
        var text = "'"
        for scalar in string.unicodeScalars {
            switch scalar {
            case "'", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                text += scalar.value < 0x10 ? "\\x0" : "\\x"
                text += String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "'"
    }
}

extension PredicateTree.Options: CustomStringConvertible {
    package var description: String {
        let letters = Self.letters.filter { contains($0.1) }.map { String(Unicode.Scalar($0.0)) }
        return letters.isEmpty ? "" : "[\(letters.joined())]"
    }
}

extension PredicateTree.Expression: CustomStringConvertible {
    package var description: String {
        switch self {
        case .keyPath(let keys): keys.map(Self.escaped).joined(separator: ".")
        case .constant(let value): Self.literal(value)
        case .collection(let values): "{\(values.map(Self.literal).joined(separator: ", "))}"
        case .evaluatedObject: "SELF"
        case .variable(let name): "$\(name)"
        case .aggregate(let members): "{\(members.map(\.description).joined(separator: ", "))}"
        }
    }

    private static func escaped(_ key: String) -> String {
        PredicateKeyword.reserved.contains(key.uppercased()) ? "#\(key)" : key
    }

    private static func literal(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .bool(let bool): bool ? "TRUE" : "FALSE"
        case .int(let integer): "\(integer)"
        case .string(let string): PredicateTree.quoted(string)
        case .double(let double) where double.isFinite: "\(double)"
        case .composite: "<composite>"
        case .array(let values): "CAST({\(values.map(literal).joined(separator: ", "))}, 'Array')"
        default: PredicateCast.printed(value).map { "CAST(\($0))" } ?? "NULL"
        }
    }
}
