public import Foundation
public import HowdahModel

extension BatchUpdateRequest where Object: ManagedObject {
    /// A request to change the objects of a class that a `#Predicate` holds for.
    ///
    /// Does not throw: a predicate that the database cannot run makes the update throw.
    public init(
        _ type: Object.Type, where predicate: Predicate<Object>,
        set properties: [String: BatchUpdateValue], result: ResultType = .count
    ) {
        self.init(FetchRequest(where: predicate), set: properties, result: result)
    }
}

extension BatchUpdateValue {
    /// What an `#Expression` comes to on the row as it was: `#Expression<Employee, Int> { $0.visits + 1 }`.
    ///
    /// As `expression(_:_:)` with a format, and with nil where Swift would stop at an overflow. Does not
    /// throw: what the database cannot compute makes the update throw.
    public static func expression<Object: ManagedObject, Output>(
        _ expression: Foundation.Expression<Object, Output>
    ) -> BatchUpdateValue {
        do throws(PredicateTreeError) {
            return .init(
                kind: .computed(
                    try PredicateTree.Expression(expression, naming: PropertyNames.step(of:))))
        } catch {
            return .init(kind: .invalid(error))
        }
    }
}
