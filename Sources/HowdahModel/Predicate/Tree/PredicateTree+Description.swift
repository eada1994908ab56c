extension PredicateTree: CustomStringConvertible {
    /// A format string that needs no arguments and parses to an equal tree.
    ///
    /// If the tree's format was wrong, it is the error instead, in a form that does not parse.
    public var description: String {
        var text = ""
        Self.write(root, into: &text)
        return text
    }

    fileprivate static func text(_ node: Node) -> String {
        var text = ""
        write(node, into: &text)
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

    /// Returns a string literal for the parser, with control characters escaped.
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
    /// The letters in brackets, as after an operator; empty for none.
    public var description: String {
        let letters = Self.letters.filter { contains($0.1) }.map { String(Unicode.Scalar($0.0)) }
        return letters.isEmpty ? "" : "[\(letters.joined())]"
    }
}

extension PredicateTree.Expression: CustomStringConvertible {
    package var description: String {
        switch self {
        case .keyPath(let keys): Self.path(keys)
        case .constant(let value): Self.literal(value)
        case .collection(let values): "{\(values.map(Self.literal).joined(separator: ", "))}"
        case .evaluatedObject: "SELF"
        case .variable(let name): "$\(name)"
        case .aggregate(let members): "{\(Self.list(members))}"
        case .function(let function, let operands): Self.call(function, operands)
        case .cast(let operand, let type): "CAST(\(operand), '\(type.rawValue)')"
        case .conditional(let test, let a, let b): "TERNARY(\(PredicateTree.text(test)), \(a), \(b))"
        case .path(let base, let keys): "\(base.asBase).\(Self.path(keys))"
        case .subquery(let members, let variable, let condition):
            "SUBQUERY(\(members), $\(variable), \(PredicateTree.text(condition)))"
        case .element(let base, let position): "\(base.asBase)[\(position)]"
        case .set(let op, let a, let b): "\(a.asOperand) \(op.rawValue) \(b.asOperand)"
        case .call(let target, let selector, let operands):
            "FUNCTION(\(target), \(PredicateTree.quoted(selector))\(operands.map { ", \($0)" }.joined()))"
        }
    }

    private static func call(_ function: PredicateTree.Function, _ operands: [Self]) -> String {
        if let symbol = function.symbol, operands.count == 2 {
            return "\(operands[0].asOperand) \(symbol) \(operands[1].asOperand)"
        }
        if let symbol = function.symbol, operands.count == 1 { return "\(symbol)(\(operands[0]))" }
        return "\(function.rawValue)(\(list(operands)))"
    }

    private static func list(_ operands: [Self]) -> String {
        operands.map(\.description).joined(separator: ", ")
    }

    /// A Boolean value that indicates whether the outermost level has an operator between two operands.
    private var isInfix: Bool {
        switch self {
        case .function(let function, let operands): function.symbol != nil && operands.count == 2
        case .set: true
        default: false
        }
    }

    private var asOperand: String { isInfix ? "(\(self))" : description }

    /// The operand in a form that a dot or a bracket can follow.
    private var asBase: String {
        switch self {
        case .constant, .collection, .aggregate: "(\(self))"
        case .function(let function, _) where function.symbol != nil: "(\(self))"
        case .set: "(\(self))"
        default: description
        }
    }

    private static func path(_ keys: [String]) -> String { keys.map(escaped).joined(separator: ".") }

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

extension PredicateTree.Position: CustomStringConvertible {
    /// The position in the syntax of a format.
    public var description: String {
        switch self {
        case .first: "FIRST"
        case .last: "LAST"
        case .number(let number): "\(number)"
        }
    }
}
