extension PredicateTree {
    /// A condition that is true for every object.
    public static let `true` = PredicateTree(.constant(true))

    /// A condition that is false for every object.
    public static let `false` = PredicateTree(.constant(false))

    /// Returns a condition that is true if all of `trees` are. Without trees it is true for every object.
    public static func and(_ trees: [PredicateTree]) -> PredicateTree { joined(trees, by: Node.all) }

    /// Returns a condition that is true if one of `trees` is. Without trees it is false for every object.
    public static func or(_ trees: [PredicateTree]) -> PredicateTree { joined(trees, by: Node.any) }

    /// Returns a condition that is true exactly if `tree` is false, also for objects whose properties are
    /// nil.
    public static func not(_ tree: PredicateTree) -> PredicateTree {
        tree.error == nil
            ? PredicateTree(.not(tree.root), depth: tree.depth + 1, terms: tree.terms) : tree
    }

    private static func joined(_ trees: [PredicateTree], by join: ([Node]) -> Node) -> PredicateTree {
        if let invalid = trees.first(where: { $0.error != nil }) { return invalid }
        return PredicateTree(join(trees.map(\.root)))
    }
}
