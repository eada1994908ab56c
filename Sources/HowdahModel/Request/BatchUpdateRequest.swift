/// Which rows to change in the database itself, and how, without loading their objects.
///
/// ```swift
/// let raise = BatchUpdateRequest(
///     Employee.self, matching: .format("department.name == %@", "Research"),
///     set: ["salary": .multiply(by: 2), "reviewedAt": nil])
/// ```
/// A plain value; `ManagedObjectContext.execute(_:)` runs it. The model's rules are those that the database keeps;
/// hooks are not called. Counts, sums and copies that are derived from the rows are computed anew.
///
/// Source: Core Data's `NSBatchUpdateRequest`.
public struct BatchUpdateRequest<Object>: Sendable {
    /// What to bring back.
    public typealias ResultType = BatchResultType

    /// Which objects, as a fetch would find them; its limit, offset, order and prefetching have no meaning here.
    public var fetchRequest: FetchRequest<Object>
    /// The new values by the names of attributes and to-one relationships, or by dotted paths into composites.
    public var propertiesToUpdate: [String: BatchUpdateValue]
    /// What to bring back.
    public var resultType: ResultType

    /// Whether rows of sub-entities are changed too.
    public var includesSubentities: Bool {
        get { fetchRequest.includesSubentities }
        set { fetchRequest.includesSubentities = newValue }
    }

    /// A request to change what `fetchRequest` would find.
    public init(
        _ fetchRequest: FetchRequest<Object>, set properties: [String: BatchUpdateValue],
        result: ResultType = .count
    ) {
        self.fetchRequest = fetchRequest
        propertiesToUpdate = properties
        resultType = result
    }

    /// A request to change the objects of a class that match a predicate; nil changes all of them.
    public init(
        _ type: Object.Type, matching predicate: PredicateTree? = nil,
        set properties: [String: BatchUpdateValue], result: ResultType = .count
    ) {
        var request = FetchRequest<Object>()
        request.predicate = predicate
        self.init(request, set: properties, result: result)
    }
}

/// What a batch update did.
///
/// Source: Core Data's `NSBatchUpdateResult`.
public struct BatchUpdateResult<Object>: Sendable {
    /// How many rows matched and were changed.
    public let count: Int
    /// The ids of those rows in no particular order; empty unless the request asked for them.
    public let objectIDs: [ObjectID<Object>]

    package init(count: Int, objectIDs: [ObjectID<Object>]) {
        self.count = count
        self.objectIDs = objectIDs
    }
}
