/// The source of a derived attribute's value, as read from its expression.
///
/// - `name`, `place.city`: the value of another attribute, or of an element of a composite.
/// - `department.name`: the value of an attribute across to-one relationships.
/// - `canonical:(name)`: the text as `[cd]` compares it, without case and diacritics.
/// - `uppercase:(name)`, `lowercase:(name)`: the text in upper or lower case.
/// - `now()`: the time of the save that wrote the object last.
/// - `employees.@count`: the number of destinations of a to-many relationship.
/// - `employees.@sum.salary`, `employees.salary.@sum`, `sum:(employees.salary)`: a sum over them; 0 for none.
///
/// Source: the expressions of Core Data's `NSDerivedAttributeDescription`.
public struct Derivation: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A value of the same row, or across to-one relationships; the model determines it.
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

    /// Creates a derivation from an expression; nil if it has none of the forms.
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

    /// Returns names with dots between them, none of which can be a part of an expression.
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
    /// The expression in canonical spelling.
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
    /// The source of the value; nil for an attribute that you set, and for an expression of unknown form.
    public var derivation: Derivation? { derivationExpression.flatMap(Derivation.init) }
}
