import Foundation

/// A node of `#Predicate` that has a counterpart in the tree.
///
/// Each node conforms unconditionally and lowers its children by casting them, so that what has no counterpart is
/// named by its own type. Source: the documentation of Foundation's `PredicateExpression`.
protocol LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue
}

/// The files that hold nothing but conformances to ``LowerableNode``.
///
/// A linker takes an object out of a static archive only if a symbol in it is referred to. Casts at run time refer to
/// none: without this list every `#Predicate` would be refused in a program that links the library as an archive.
package enum LowerableNodes {
    private typealias Number = PredicateExpressions.Value<Int>
    private typealias Truth = PredicateExpressions.Value<Bool>

    // Sound: types that are never changed.
    /// One node of each file.
    nonisolated(unsafe) private static let ofFiles: [any LowerableNode.Type] = [
        PredicateExpressions.UnaryMinus<Number>.self,
        PredicateExpressions.Equal<Number, Number>.self,
        PredicateExpressions.Negation<Truth>.self,
        PredicateExpressions.NilCoalesce<PredicateExpressions.Value<Int?>, Number>.self,
        PredicateExpressions.Variable<Int>.self,
        PredicateExpressions.RangeExpressionContains<PredicateExpressions.Value<ClosedRange<Int>>, Number>
            .self,
        PredicateExpressions.SequenceContains<PredicateExpressions.Value<[Int]>, Number>.self,
        PredicateExpressions.TypeCheck<Number, Int>.self,
    ]

    /// The number of files; visible outside of the module, so that no optimisation removes the list.
    package static var count: Int { ofFiles.count }
}
