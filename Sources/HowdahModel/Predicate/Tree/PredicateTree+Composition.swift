extension PredicateTree {
    /// Holds for every object.
    public static let `true` = PredicateTree(.constant(true))

    /// Holds for no object.
    public static let `false` = PredicateTree(.constant(false))

    /// Holds where all of `trees` hold; for every object when there are none.
    public static func and(_ trees: [PredicateTree]) -> PredicateTree { joined(trees, by: Node.all) }

    /// Holds where one of `trees` holds; for no object when there are none.
    public static func or(_ trees: [PredicateTree]) -> PredicateTree { joined(trees, by: Node.any) }

    /// Holds exactly where `tree` does not, also for objects whose properties are nil.
    public static func not(_ tree: PredicateTree) -> PredicateTree {
        tree.error == nil
            ? PredicateTree(.not(tree.root), depth: tree.depth + 1, terms: tree.terms) : tree
    }

    private static func joined(_ trees: [PredicateTree], by join: ([Node]) -> Node) -> PredicateTree {
        if let invalid = trees.first(where: { $0.error != nil }) { return invalid }
        return PredicateTree(join(trees.map(\.root)))
    }
}
