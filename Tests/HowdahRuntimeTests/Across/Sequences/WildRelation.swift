import Howdah

/// A relationship of the random sequences' model; its place in ``all`` is its name in ``WildGraph``.
struct WildRelation {
    let name: String
    let owner: WildKind
    let destination: WildKind
    /// The place of the inverse; nil for one-way relationships.
    let inverse: Int?
    let isToMany: Bool
    let isOrdered: Bool
    let rule: DeleteRule
    let isRequired: Bool
    let maxCount: Int?

    private init(
        _ name: String, _ owner: WildKind, _ destination: WildKind, _ inverse: Int?, many: Bool = false,
        ordered: Bool = false, rule: DeleteRule = .nullify, required: Bool = false, max: Int? = nil
    ) {
        (self.name, self.owner, self.destination, self.inverse) = (name, owner, destination, inverse)
        (isToMany, isOrdered, self.rule, isRequired, maxCount) = (many, ordered, rule, required, max)
    }

    /// Every kind: one-to-one, one-to-many, many-to-many; ordered on one side, on both, and both in one; to the own
    /// entity, as a tree, and as its own inverse; without inverse; to and from a subentity; required; and all four rules.
    static let all = [
        WildRelation("parent", .item, .item, 1),
        WildRelation("children", .item, .item, 0, many: true),
        WildRelation("whole", .item, .item, 3),
        WildRelation("parts", .item, .item, 2, many: true, rule: .cascade),
        WildRelation("links", .item, .item, 5, many: true),
        WildRelation("linkedBy", .item, .item, 4, many: true),
        WildRelation("friends", .item, .item, 6, many: true),
        WildRelation("spouse", .item, .item, 7),
        WildRelation("twin", .item, .item, 9),
        WildRelation("twinOf", .item, .item, 8),
        WildRelation("favourite", .item, .item, nil),
        WildRelation("likes", .item, .item, nil, many: true),
        WildRelation("rivals", .item, .item, 12, many: true, ordered: true),
        WildRelation("box", .item, .box, 14),
        WildRelation("items", .box, .item, 13, many: true, ordered: true, rule: .cascade),
        WildRelation("shelves", .item, .box, 16, many: true, ordered: true),
        WildRelation("guests", .box, .item, 15, many: true, ordered: true),
        WildRelation("shows", .item, .box, 18, many: true),
        WildRelation("shown", .box, .item, 17, many: true, ordered: true, rule: .noAction),
        WildRelation("home", .leaf, .box, 20, required: true),
        WildRelation("leaves", .box, .leaf, 19, many: true, rule: .deny),
        WildRelation("leads", .leaf, .box, 22),
        WildRelation("lead", .box, .leaf, 21),
        WildRelation("picks", .box, .item, nil, many: true, ordered: true),
        WildRelation("samples", .box, .leaf, nil, many: true, max: 3),
        WildRelation("seal", .box, .seal, 26, rule: .cascade),
        WildRelation("sealed", .seal, .box, 25, required: true),
        WildRelation("heir", .item, .leaf, 28),
        WildRelation("heirOf", .leaf, .item, 27, many: true),
    ]

    static let oneToOnes = all.indices.filter { place in
        guard let inverse = all[place].inverse else { return false }
        return !all[place].isToMany && !all[inverse].isToMany
    }

    /// Whether its pairs are rows of a table of their own.
    var isLink: Bool { isToMany && inverse.map { Self.all[$0].isToMany } ?? true }

    /// Those that are columns of the owner's row, and no one-to-ones.
    static let toOnes = all.indices.filter { !all[$0].isToMany && !oneToOnes.contains($0) }

    var property: PropertyDescription {
        .relationship(
            name, to: destination.rawValue, inverse: inverse.map { Self.all[$0].name }, toMany: isToMany,
            ordered: isOrdered, optional: !isRequired, maxCount: maxCount, deleteRule: rule)
    }
}
