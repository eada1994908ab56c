/// What an entity's box says, and which of its rows a line can end at.
struct EntityBox: Equatable {
    let name: String
    let isAbstract: Bool
    /// The groups of names that are unique together, without those that a mark at an own attribute tells.
    let uniquenessConstraints: [[String]]
    /// Attributes with their elements, then uniqueness constraints, then relationships, then arrivals.
    var rows: [BoxRow]

    /// The row where the own relationships begin; above it is a rule.
    var firstRelationshipRow: Int? {
        rows.firstIndex { $0.kind == .relationship || $0.kind == .arrival }
    }

    func row(ofRelationship name: String) -> Int? {
        rows.firstIndex { $0.kind == .relationship && $0.name == name }
    }
}
