/// A request that changes rows in the database itself, without loading their objects.
///
/// ```swift
/// let raise = BatchUpdateRequest(
///     Employee.self, matching: .format("department.name == %@", "Research"),
///     set: ["salary": .multiply(by: 2), "reviewedAt": nil])
/// ```
/// It is a plain value; `ManagedObjectContext.execute(_:)` runs it. Only the database checks rules of the
/// model, and hooks are not called. Counts, sums and copies that are derived from the rows are computed
/// again.
///
/// Source: Core Data's `NSBatchUpdateRequest`.
public struct BatchUpdateRequest<Object>: Sendable {
    /// The type of result.
    public typealias ResultType = BatchResultType

    /// The request whose objects are changed.
    ///
    /// With a limit, these are the first objects in its order. Without a limit, the order is ignored. The
    /// only `rowLock` is `.update.skippingLocked`, which leaves out objects that other sessions have locked.
    /// An offset is an error.
    public var fetchRequest: FetchRequest<Object>
    /// The new values by the names of attributes and to-one relationships, or by dotted paths into
    /// composites.
    public var propertiesToUpdate: [String: BatchUpdateValue]
    /// The type of result.
    public var resultType: ResultType

    /// A Boolean value that indicates whether rows of sub-entities are changed too.
    public var includesSubentities: Bool {
        get { fetchRequest.includesSubentities }
        set { fetchRequest.includesSubentities = newValue }
    }

    /// Creates a request to change the objects that `fetchRequest` would find.
    public init(
        _ fetchRequest: FetchRequest<Object>, set properties: [String: BatchUpdateValue],
        result: ResultType = .count
    ) {
        self.fetchRequest = fetchRequest
        propertiesToUpdate = properties
        resultType = result
    }

    /// Creates a request to change the objects of a class that match a predicate; nil changes all of them.
    public init(
        _ type: Object.Type, matching predicate: PredicateTree? = nil,
        set properties: [String: BatchUpdateValue], result: ResultType = .count
    ) {
        var request = FetchRequest<Object>()
        request.predicate = predicate
        self.init(request, set: properties, result: result)
    }
}

/// The result of a batch update.
///
/// Source: Core Data's `NSBatchUpdateResult`.
public struct BatchUpdateResult<Object>: Sendable {
    /// The number of rows that matched and were changed.
    public let count: Int
    /// The ids of those rows in no particular order; empty unless you requested them.
    public let objectIDs: [ObjectID<Object>]

    package init(count: Int, objectIDs: [ObjectID<Object>]) {
        self.count = count
        self.objectIDs = objectIDs
    }
}
