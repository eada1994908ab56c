/// A condition on objects that you can store, send, print, compare and evaluate in the database or in memory.
///
/// You make one from a format string, from `#Predicate` or by composition. Its ``description`` is a format
/// string that parses to an equal tree. If ``format(_:_:)`` gets a wrong format, the tree carries the error,
/// and the fetch that uses it throws. ``init(format:arguments:)`` throws at once.
///
/// Limits: 256 levels of nesting, 10,000 comparisons and computed operands, 1,000,000 members in one
/// collection.
///
/// Source: Foundation's `NSPredicate` and its format grammar; "nil" follows `docs/predicates.md`.
public struct PredicateTree: Hashable, Sendable {
    /// The condition itself. An `.invalid` node occurs only here, never deeper.
    package let root: Node
    /// The levels of AND, OR and NOT above the deepest comparison.
    let depth: Int
    /// The number of comparisons and constants.
    let terms: Int

    /// Creates a tree of a node from a front end. If the node is too deep or too large, the tree is invalid.
    package init(_ root: Node) {
        let (depth, terms) = root.measured
        self.init(root, depth: depth, terms: terms)
    }

    init(_ root: Node, depth: Int, terms: Int) {
        let excess: PredicateTreeError? =
            depth > Limit.depth ? .tooDeep() : terms > Limit.terms ? .tooLarge() : nil
        self.root = excess.map(Node.invalid) ?? root
        self.depth = excess == nil ? depth : 0
        self.terms = excess == nil ? terms : 1
    }

    init(_ error: PredicateTreeError) {
        root = .invalid(error)
        depth = 0
        terms = 1
    }

    /// The reason why the tree cannot be used, or nil; check it before you evaluate a tree.
    package var error: PredicateTreeError? {
        if case .invalid(let error) = root { error } else { nil }
    }

    /// The limits of the size of a predicate.
    package enum Limit {
        /// The levels of nesting, far below those that exhaust a thread's stack or the server's.
        package static let depth = 256
        /// The comparisons in one predicate.
        package static let terms = 10_000
        /// The members of one collection.
        package static let members = 1_000_000
        /// The positions of an index.
        package static let positions = 0...Int(Int32.max)
        /// The bytes of one format string.
        package static let formatBytes = 1 << 26
    }
}
