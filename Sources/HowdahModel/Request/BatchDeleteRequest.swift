/// A request that deletes rows in the database itself, without loading their objects.
///
/// It is a plain value; `ManagedObjectContext.execute(_:)` runs it. Counts, sums and copies that are derived
/// from the rows are computed again. The minimum counts of to-many relationships are not checked.
///
/// Source: Core Data's `NSBatchDeleteRequest`.
public struct BatchDeleteRequest<Object>: Sendable {
    /// The type of result.
    public typealias ResultType = BatchResultType

    /// The request whose objects are deleted.
    ///
    /// With a limit, these are the first objects in its order. Without a limit, the order is ignored. The
    /// only `rowLock` is `.update.skippingLocked`, which leaves out objects that other sessions have locked.
    /// An offset is an error.
    public var fetchRequest: FetchRequest<Object>
    /// The type of result.
    public var resultType: ResultType
    /// The ids to delete, if the request is one for ids.
    package let objectIDs: [ObjectID<Object>]?

    /// Creates a request to delete the objects that `fetchRequest` would find.
    public init(_ fetchRequest: FetchRequest<Object>, result: ResultType = .count) {
        self.fetchRequest = fetchRequest
        resultType = result
        objectIDs = nil
    }

    /// Creates a request to delete the objects of a class that match a predicate; nil deletes all of them.
    public init(
        _ type: Object.Type, matching predicate: PredicateTree? = nil, result: ResultType = .count
    ) {
        var request = FetchRequest<Object>()
        request.predicate = predicate
        self.init(request, result: result)
    }

    /// Creates a request to delete the objects of these ids, all of one hierarchy. Ids without a row delete
    /// nothing.
    public init(objectIDs: [ObjectID<Object>], result: ResultType = .count) {
        // Which entity that is, only a store knows: ids carry stored names.
        var request = FetchRequest<Object>()
        request.predicate = PredicateTree(
            .comparison(
                lhs: .evaluatedObject, op: .in,
                rhs: .collection(
                    objectIDs.map { .reference(ObjectReference(key: $0.key, entity: $0.entityName)) })))
        fetchRequest = request
        resultType = result
        self.objectIDs = objectIDs
    }
}

/// The result of a batch deletion.
///
/// Source: Core Data's `NSBatchDeleteResult`.
public struct BatchDeleteResult<Object>: Sendable {
    /// The number of rows that matched and were deleted, without rows that a delete rule deleted with them.
    public let count: Int
    /// The ids of those rows in no particular order; empty unless you requested them.
    public let objectIDs: [ObjectID<Object>]

    package init(count: Int, objectIDs: [ObjectID<Object>]) {
        self.count = count
        self.objectIDs = objectIDs
    }
}
