/// Which rows to delete in the database itself, without loading their objects.
///
/// A plain value; `ManagedObjectContext.execute(_:)` runs it. Counts, sums and copies that are derived
/// from the rows are computed anew; the minimum counts of to-many relationships are not looked at.
///
/// Source: Core Data's `NSBatchDeleteRequest`.
public struct BatchDeleteRequest<Object>: Sendable {
    /// What to bring back.
    public struct ResultType: Hashable, Sendable {
        package let bringsIDs: Bool

        /// How many rows were deleted.
        public static var count: ResultType { ResultType(bringsIDs: false) }
        /// How many, and the ids they had.
        public static var objectIDs: ResultType { ResultType(bringsIDs: true) }
    }

    /// Which objects, as a fetch would find them; its limit, offset, order and prefetching have no meaning here.
    public var fetchRequest: FetchRequest<Object>
    /// What to bring back.
    public var resultType: ResultType

    /// A request to delete what `fetchRequest` would find.
    public init(_ fetchRequest: FetchRequest<Object>, result: ResultType = .count) {
        self.fetchRequest = fetchRequest
        resultType = result
    }

    /// A request to delete the objects of a class that match a predicate; nil deletes all of them.
    public init(
        _ type: Object.Type, matching predicate: PredicateTree? = nil, result: ResultType = .count
    ) {
        var request = FetchRequest<Object>()
        request.predicate = predicate
        self.init(request, result: result)
    }
}
