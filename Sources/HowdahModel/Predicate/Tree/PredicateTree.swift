/// A condition on objects that can be stored, sent, printed, compared and run by the database or in memory.
///
/// Made from a format string, from `#Predicate` or by composition. Its ``description`` is a format string that
/// parses to an equal tree. A tree made by ``format(_:_:)`` from a wrong format carries the error, which is
/// thrown by the fetch that uses it; ``init(format:arguments:)`` throws it at once.
///
/// Limits: 256 levels of nesting, 10,000 comparisons and computed operands, 1,000,000 members in one collection.
///
/// Source: Foundation's `NSPredicate` and its format grammar; "nil" follows `docs/predicates.md`.
public struct PredicateTree: Hashable, Sendable {
    /// The condition itself. An `.invalid` node occurs only here, never deeper.
    package let root: Node
    /// The levels of AND, OR and NOT above the deepest comparison.
    let depth: Int
    /// The number of comparisons and constants.
    let terms: Int

    /// Makes a tree of a node that a front end built; too deep or too large a node gives an invalid tree.
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

    /// Why the tree cannot be used, or nil; whoever runs a tree throws this first.
    package var error: PredicateTreeError? {
        if case .invalid(let error) = root { error } else { nil }
    }

    /// How large a predicate may be.
    package enum Limit {
        /// Levels of nesting, far below what exhausts a thread's stack or the server's.
        package static let depth = 256
        /// Comparisons in one predicate.
        package static let terms = 10_000
        /// Members of one collection.
        package static let members = 1_000_000
        /// Positions of an index.
        package static let positions = 0...Int(Int32.max)
        /// Bytes of one format string.
        package static let formatBytes = 1 << 26
    }
}
