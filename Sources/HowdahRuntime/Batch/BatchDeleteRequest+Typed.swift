public import Foundation
public import HowdahModel

extension BatchDeleteRequest where Object: ManagedObject {
    /// A request to delete the objects of a class that a `#Predicate` holds for.
    ///
    /// Does not throw: a predicate that the database cannot run makes the deletion throw.
    public init(_ type: Object.Type, where predicate: Predicate<Object>, result: ResultType = .count) {
        self.init(FetchRequest(where: predicate), result: result)
    }
}
