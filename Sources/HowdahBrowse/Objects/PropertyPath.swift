import HowdahModel

/// A key path to an attribute, as code of a closure in `#Predicate`.
struct PropertyPath {
    /// The kinds of attributes that have literals.
    enum Kind {
        case text, integer, decimal, double, flag, date

        /// The type of an element of a captured array; nil if the width of the attribute decides.
        var swiftType: String? {
            switch self {
            case .text: "String"
            case .decimal: "Decimal"
            case .date: "Date"
            case .integer, .double, .flag: nil
            }
        }
    }

    /// The code, whose value is optional if any part is.
    let text: String
    let isOptional: Bool
    let kind: Kind
    private let isChain: Bool

    /// Reads a path through to-one relationships; nil if it has another form, or its end has no literals.
    init?(_ path: String, of entity: String, _ guide: ModelGuide) throws {
        var (owner, text, isChain) = (entity, "$0", false)
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (place, name) in names.enumerated() {
            guard PredicateCode.isPlain(name) else { return nil }
            let property = guide.model.property(named: name, of: owner)
            text += "\(isChain ? "?" : "").\(name)"
            if let relationship = property?.relationship, !relationship.isToMany, place < names.count - 1 {
                owner = relationship.destination
                isChain = true
                continue
            }
            guard place == names.count - 1, let attribute = property?.attribute,
                let kind = Self.kind(of: attribute)
            else { return nil }
            self.kind = kind
            isOptional = attribute.isOptional || isChain
            (self.text, self.isChain) = (text, isChain)
            return
        }
        return nil
    }

    /// The code of the value, false in a comparison if it is nil.
    var unwrapped: String { !isOptional ? text : isChain ? "(\(text))!" : text + "!" }

    private static func kind(of attribute: AttributeDescription) -> Kind? {
        switch attribute.type.kind {
        case .string: .text
        case .integer16, .integer32, .integer64: .integer
        case .decimal: .decimal
        case .double: .double
        case .boolean: .flag
        case .date: .date
        default: nil
        }
    }
}
