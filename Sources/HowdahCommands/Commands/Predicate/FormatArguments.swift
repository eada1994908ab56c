import HowdahModel

/// What stands for the placeholders of a format.
struct FormatArguments {
    let values: [(any Sendable)?]
    /// Whether a `%K` has no key path, so that nobody knows what is compared.
    let hasOpenKeys: Bool

    /// Takes the texts that were given, or where there are none open arguments.
    init(of format: String, given texts: [String]) throws(PredicateTreeError) {
        let placeholders = try PredicatePlaceholder.all(in: format)
        guard texts.isEmpty else {
            values = texts.enumerated().map { position, text in
                Self.value(text, placeholders.indices.contains(position) ? placeholders[position] : .object)
            }
            hasOpenKeys = false
            return
        }
        values = placeholders.enumerated().map { position, placeholder in
            switch placeholder {
            case .object: OpenPredicateArgument(position + 1)
            case .key: "key"
            case .integer: 1
            case .float: 1.5
            }
        }
        hasOpenKeys = placeholders.contains(.key)
    }

    /// A literal as the grammar has them, and a text where it is none.
    private static func value(_ text: String, _ placeholder: PredicatePlaceholder) -> (any Sendable)? {
        switch placeholder {
        case .key: return text
        case .integer: return Int(text) ?? text
        case .float: return Double(text) ?? text
        case .object: break
        }
        let operatorText = text.hasPrefix("{") ? "IN" : "=="
        guard let tree = try? PredicateTree(format: "SELF \(operatorText) \(text)"),
            case .comparison(_, _, let literal, _, _) = tree.root
        else { return text }
        switch literal {
        case .constant(.array(let values)), .collection(let values): return values
        case .constant(.null): return Value.null
        case .constant(let value): return value
        default: return text
        }
    }
}
