/// A node of `#Predicate` that has a counterpart in the tree.
///
/// Each node conforms unconditionally and lowers its children by casting them, so that what has no counterpart is
/// named by its own type. Source: the documentation of Foundation's `PredicateExpression`.
protocol LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue
}
