/// What the value of a derived attribute follows from, as read from its expression.
///
/// | expression | the value |
/// |---|---|
/// | `name`, `place.city` | that of another attribute, or of an element of a composite |
/// | `department.name` | that of an attribute across to-one relationships |
/// | `canonical:(name)` | the text as `[cd]` compares it: without case and diacritics |
/// | `uppercase:(name)`, `lowercase:(name)` | the text in upper or lower case |
/// | `now()` | the moment of the save that wrote the object last |
/// | `employees.@count` | how many destinations a to-many relationship has |
/// | `employees.@sum.salary`, `employees.salary.@sum`, `sum:(employees.salary)` | a sum over them; 0 for none |
///
/// Source: the expressions that Core Data's `NSDerivedAttributeDescription` takes.
public struct Derivation: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Of the same row, or across to-one relationships: which of them, the model tells.
        case copy([String])
        case canonical([String])
        case uppercase([String])
        case lowercase([String])
        case now
        case count(String)
        case sum(String, [String])
    }

    package let kind: Kind

    private static let count = "@count"
    private static let sum = "@sum"

    /// Reads an expression; nil where it has none of the forms.
    public init?(_ expression: String) {
        let text = expression.filter { !$0.isWhitespace }
        guard let kind = Self.function(text) ?? Self.collection(text) else { return nil }
        self.kind = kind
    }

    private static func function(_ text: String) -> Kind? {
        if text == "now()" { return .now }
        guard text.hasSuffix(")"), let opening = text.firstIndex(of: "(") else { return nil }
        let inner = text[text.index(after: opening)...].dropLast()
        guard let path = path(inner) else { return nil }
        switch text[..<opening] {
        case "canonical:": return .canonical(path)
        case "uppercase:": return .uppercase(path)
        case "lowercase:": return .lowercase(path)
        case "sum:" where path.count > 1: return .sum(path[0], Array(path.dropFirst()))
        default: return nil
        }
    }

    private static func collection(_ text: String) -> Kind? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let place = parts.firstIndex(where: { $0.hasPrefix("@") }) else {
            return path(text[...]).map(Kind.copy)
        }
        var names = parts
        let function = names.remove(at: place)
        guard let names = path(names.joined(separator: ".")[...]) else { return nil }
        if function == count, names.count == 1, place == 1 { return .count(names[0]) }
        if function == sum, names.count > 1, place == 1 || place == names.count {
            return .sum(names[0], Array(names.dropFirst()))
        }
        return nil
    }

    /// Names with dots between them, of which none could be a part of an expression.
    private static func path(_ text: Substring) -> [String]? {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isPath = names.allSatisfy { name in
            !name.isEmpty && !name.hasPrefix("@") && !name.contains { "():,+-*/".contains($0) }
        }
        return isPath ? names : nil
    }

    /// The forms, for messages.
    static let forms =
        "name, department.name, canonical:(name), uppercase:(name), lowercase:(name), now(), "
        + "employees.@count, employees.@sum.salary"
}

extension Derivation: CustomStringConvertible {
    /// The expression in one spelling.
    public var description: String {
        switch kind {
        case .copy(let path): path.joined(separator: ".")
        case .canonical(let path): "canonical:(\(path.joined(separator: ".")))"
        case .uppercase(let path): "uppercase:(\(path.joined(separator: ".")))"
        case .lowercase(let path): "lowercase:(\(path.joined(separator: ".")))"
        case .now: "now()"
        case .count(let name): "\(name).@count"
        case .sum(let name, let path): "\(name).@sum.\(path.joined(separator: "."))"
        }
    }
}

extension AttributeDescription {
    /// What the value follows from; nil for an attribute that is set, and for an expression of no known form.
    public var derivation: Derivation? { derivationExpression.flatMap(Derivation.init) }
}
