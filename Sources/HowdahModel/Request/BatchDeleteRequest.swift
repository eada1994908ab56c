/// Which rows to delete in the database itself, without loading their objects.
///
/// A plain value; `ManagedObjectContext.execute(_:)` runs it. Counts, sums and copies that are derived
/// from the rows are computed anew; the minimum counts of to-many relationships are not looked at.
///
/// Source: Core Data's `NSBatchDeleteRequest`.
public struct BatchDeleteRequest<Object>: Sendable {
    /// What to bring back.
    public typealias ResultType = BatchResultType

    /// Which objects, as a fetch would find them; its order and prefetching have no meaning here, and a limit or an offset is
    /// an error.
    public var fetchRequest: FetchRequest<Object>
    /// What to bring back.
    public var resultType: ResultType
    /// The ids to delete, where the request is one for ids.
    package let objectIDs: [ObjectID<Object>]?

    /// A request to delete what `fetchRequest` would find.
    public init(_ fetchRequest: FetchRequest<Object>, result: ResultType = .count) {
        self.fetchRequest = fetchRequest
        resultType = result
        objectIDs = nil
    }

    /// A request to delete the objects of a class that match a predicate; nil deletes all of them.
    public init(
        _ type: Object.Type, matching predicate: PredicateTree? = nil, result: ResultType = .count
    ) {
        var request = FetchRequest<Object>()
        request.predicate = predicate
        self.init(request, result: result)
    }

    /// A request to delete the objects of these ids, all of one hierarchy; ids whose rows are gone delete nothing.
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

/// What a batch deletion did.
///
/// Source: Core Data's `NSBatchDeleteResult`.
public struct BatchDeleteResult<Object>: Sendable {
    /// How many rows matched and are gone; rows that went with them by a delete rule are not counted.
    public let count: Int
    /// The ids of those rows in no particular order; empty unless the request asked for them.
    public let objectIDs: [ObjectID<Object>]

    package init(count: Int, objectIDs: [ObjectID<Object>]) {
        self.count = count
        self.objectIDs = objectIDs
    }
}
