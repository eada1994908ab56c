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
