package import Foundation

extension PredicateTree {
    /// Makes a tree of a `#Predicate`; `naming` tells what the key paths in it stand for.
    ///
    /// - Throws: `unsupported` with the name of the node that has no counterpart, `unknownKey` for a key path
    ///   without a name, `argumentType` for a captured value that no predicate can compare with, `tooLarge`.
    package init<Object>(
        _ predicate: Predicate<Object>, naming: @escaping (AnyKeyPath) -> PropertyStep?
    ) throws(PredicateTreeError) {
        var scope = LoweringScope(naming: naming)
        scope.bind(predicate.variable, to: .path([]))
        self.init(try scope.condition(predicate.expression))
        if let error { throw error }
    }

    /// A tree that carries why it cannot be used, for a fetch that throws it.
    package init(failing error: PredicateTreeError) { self.init(error) }
}
