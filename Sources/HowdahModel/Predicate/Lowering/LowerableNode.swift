import Foundation

/// A node of `#Predicate` that has a counterpart in the tree.
///
/// Each node conforms unconditionally and casts its children to lower them. An error can therefore name the
/// type of a node without a counterpart.
///
/// Source: the documentation of Foundation's `PredicateExpression`.
protocol LowerableNode {
    func lower(in scope: inout LoweringScope) throws(PredicateTreeError) -> LoweredValue
}

/// The files that hold nothing but conformances to ``LowerableNode``.
///
/// A linker takes an object out of a static archive only if a symbol in it is used. Casts at run time use
/// none. Without this list, a program that links the library as an archive would refuse every `#Predicate`.
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

    /// The number of files. It is visible outside the module, so that no optimisation removes the list.
    package static var count: Int { ofFiles.count }
}
