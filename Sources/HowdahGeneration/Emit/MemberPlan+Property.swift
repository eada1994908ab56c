internal import HowdahModel

extension MemberPlan {
    /// What the name and type do not say.
    var notes: [String] {
        var notes: [String] = []
        if name != key { notes.append("/// \(SwiftLiteral.string(key)) in the model and in predicates.") }
        if case .toOne(let relationship, _) = shape, relationship.isTransient { notes.append(Self.inMemory) }
        if case .toMany(let relationship, _) = shape, relationship.isTransient { notes.append(Self.inMemory) }
        guard let attribute else { return notes }
        if attribute.type == .transformable, attribute.userInfo[MappingKey.type] == nil {
            let transformer = attribute.valueTransformerName.map { " with \(SwiftLiteral.string($0))" } ?? ""
            notes.append("/// The bytes of a transformable value, which Core Data would read\(transformer).")
        }
        if let expression = attribute.derivationExpression {
            notes.append("/// Computed by the store: \(expression.filter { !$0.isNewline })")
        }
        if attribute.isTransient { notes.append(Self.inMemory) }
        return notes
    }

    /// The answer to an assignment of members.
    private static func refusal(of relationship: RelationshipDescription) -> String {
        "assign members with replace(with:), or change them with \(relationship.isOrdered ? "append(_:)" : "insert(_:)") and remove(_:)"
    }

    private static let inMemory = "/// Kept in memory only."

    /// The property as the class declares it.
    func declaration(_ access: AccessLevel) -> [String] {
        guard let type else {
            return [
                "// The type of the model's \(SwiftLiteral.string(key)) cannot be stored, so this property is left out. If your"
                    + " code",
                "// needs it, declare a computed property in an extension.",
            ]
        }
        let head = "\(access.modifier)var \(spelling): \(type)"
        let accessors: [String] =
            switch shape {
            case .attribute(let attribute, _) where attribute.derivationExpression != nil:
                ["_willRead(\(slot))", "return \(field)"]
            case .attribute, .unsupported:
                ["_willRead(\(slot))", "return \(field)"].block("get")
                    + [
                        "_willWrite(\(slot))", "\(field) = Howdah._Emitted.stored(newValue)",
                        "_didWrite(\(slot))",
                    ]
                    .block("set")
            case .toOne:
                ["get { _destination(\(field), \(slot)) }", "set { _setDestination(newValue, \(slot)) }"]
            case .toMany(let relationship, _):
                [
                    "get { \(type)(self, \(slot)) }",
                    "@available(",
                    "    *, unavailable,",
                    "    message:",
                    "        \(SwiftLiteral.string(Self.refusal(of: relationship)))",
                    ")",
                    "set { \(type)(self, \(slot)).replace(with: newValue) }",
                ]
            }
        return notes + accessors.block(head)
    }

    /// The field behind the property.
    var storage: [String] {
        guard let type else { return [] }
        let head = "@exclusivity(unchecked) private var \(field)"
        return switch shape {
        case .attribute, .unsupported: ["\(head): \(type) = Howdah._Emitted.zero()"]
        case .toOne: ["\(head) = Howdah._ToOneField()"]
        case .toMany: ["\(head): Howdah._ToManyState?"]
        }
    }

    /// The statement that takes the property's columns from a row.
    var decoding: [String] {
        switch shape {
        case .attribute: isStored ? ["\(field) = Howdah._Emitted.read(&row)"] : []
        case .toOne: ["\(field) = row.toOne(\(slot))"]
        case .toMany, .unsupported: []
        }
    }

    func keyPath(root: String) -> [String] {
        type == nil ? [] : ["Howdah._PropertyKeyPath(\\\(root).\(spelling), \(SwiftLiteral.string(key)))"]
    }
}
