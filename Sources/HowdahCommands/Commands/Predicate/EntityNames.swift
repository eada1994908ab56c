import HowdahModel

/// Finds entity names in comparisons with `entity` that the model does not have: a fetch takes them, and finds nothing.
struct EntityNames {
    private let model: ManagedObjectModel

    init(_ model: ManagedObjectModel) { self.model = model }

    /// Returns a warning for each name, in the order of the predicate.
    func warnings(about tree: PredicateTree, in format: String) -> [PredicateFinding.Complaint] {
        // A property of that name hides the entity.
        let isHidden = model.entities.contains { entity in
            entity.properties.contains { $0.name == Self.key }
        }
        if isHidden { return [] }
        var seen: Set<String> = []
        return names(in: tree.root).filter { model[$0] == nil && seen.insert($0).inserted }.map { name in
            let current = model.entities.first { $0.storedName == name }?.name
            let nearest = NearestName.of(name, among: model.entities.map(\.name))
            let hint =
                current.map { "Use its new name '\($0)'." } ?? nearest.map { "Did you mean '\($0)'?" }
                ?? "Run howdah model show to list the entities."
            return PredicateFinding.Complaint(
                warning: "The model has no entity '\(name)', so no object matches. \(hint)",
                about: name, in: format)
        }
    }

    private static let key = "entity"

    private func names(in node: PredicateTree.Node) -> [String] {
        switch node {
        case .comparison(let lhs, _, let rhs, _, _):
            (lhs.isEntity ? rhs.texts : rhs.isEntity ? lhs.texts : []) + names(in: lhs) + names(in: rhs)
        case .and(let members), .or(let members): members.flatMap(names)
        case .not(let inner): names(in: inner)
        case .constant, .invalid: []
        }
    }

    private func names(in expression: PredicateTree.Expression) -> [String] {
        let (operands, condition) = expression.parts
        return operands.flatMap(names) + (condition.map(names) ?? [])
    }
}

extension PredicateTree.Expression {
    /// Whether the operand is the entity of an object, or the names of it and those above.
    fileprivate var isEntity: Bool {
        switch self {
        case .keyPath(let keys), .path(_, let keys):
            keys.last == "entity"
                || [["entity", "name"], ["entity", "lineage"]].contains(Array(keys.suffix(2)))
        default: false
        }
    }

    /// The texts that the operand consists of.
    fileprivate var texts: [String] {
        switch self {
        case .constant(.string(let text)): [text]
        case .collection(let values):
            values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        default: []
        }
    }
}
