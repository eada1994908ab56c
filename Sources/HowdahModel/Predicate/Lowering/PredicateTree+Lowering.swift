package import Foundation

extension PredicateTree {
    /// Creates a tree of a `#Predicate`; `naming` returns the names of its key paths.
    ///
    /// - Throws: `PredicateTreeError` with `unsupported` and the name of the node that has no counterpart, or
    ///   `unknownKey` for a key path without a name. `argumentType` for a captured value that no predicate
    ///   can compare with, or `tooLarge`.
    package init<Object>(
        _ predicate: Predicate<Object>, naming: @escaping (AnyKeyPath) -> PropertyStep?
    ) throws(PredicateTreeError) {
        var scope = LoweringScope(naming: naming)
        scope.bind(predicate.variable, to: .path([]))
        self.init(try scope.condition(predicate.expression))
        if let error { throw error }
    }

    /// Creates a tree that carries the error for the fetch that throws it.
    package init(failing error: PredicateTreeError) { self.init(error) }
}
