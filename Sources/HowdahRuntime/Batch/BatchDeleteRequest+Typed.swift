public import Foundation
public import HowdahModel

extension BatchDeleteRequest where Object: ManagedObject {
    /// Creates a request to delete the objects of a class that match a `#Predicate`.
    ///
    /// It does not throw: if the database cannot evaluate the predicate, the deletion throws.
    public init(_ type: Object.Type, where predicate: Predicate<Object>, result: ResultType = .count) {
        self.init(FetchRequest(where: predicate), result: result)
    }
}
