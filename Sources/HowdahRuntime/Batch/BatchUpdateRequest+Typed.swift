public import Foundation
public import HowdahModel

extension BatchUpdateRequest where Object: ManagedObject {
    /// Creates a request to change the objects of a class that match a `#Predicate`.
    ///
    /// It does not throw: if the database cannot evaluate the predicate, the update throws.
    public init(
        _ type: Object.Type, where predicate: Predicate<Object>,
        set properties: [String: BatchUpdateValue], result: ResultType = .count
    ) {
        self.init(FetchRequest(where: predicate), set: properties, result: result)
    }
}

extension BatchUpdateValue {
    /// Returns the value of an `#Expression` for the row before the update: `#Expression<Employee, Int> {
    /// $0.visits + 1 }`.
    ///
    /// It works as `expression(_:_:)` with a format. If Swift would stop at an overflow, the value is nil. It
    /// does not throw: if the database cannot compute it, the update throws.
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
