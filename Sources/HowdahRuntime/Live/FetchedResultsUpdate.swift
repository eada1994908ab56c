public import HowdahModel

/// An update of a followed result: the whole, or the changes since the update before.
public enum FetchedResultsUpdate<Object: ManagedObject>: Hashable, Sendable {
    /// The whole result. Everything that is shown of former updates is out of date.
    ///
    /// It is the first update. It is also sent after a failover and a migration, and if about 5,000 objects or more
    /// changed since the update before.
    case snapshot([FetchedResultsSection<Object>])
    /// The changes since the update before; at least one.
    case changes(FetchedResultsDifference<Object>)
}

extension FetchedResultsUpdate {
    /// The ids of the objects that the update brings: those that entered, moved or changed, and all of a snapshot.
    var presentObjectIDs: [ObjectID<Object>] {
        switch self {
        case .snapshot(let sections): sections.flatMap(\.objectIDs)
        case .changes(let difference):
            difference.rows.compactMap { change in
                if case .delete = change { nil } else { change.objectID }
            }
        }
    }
}

extension ManagedObjectContext {
    /// Returns the objects that an update brings, by their ids: those that entered, moved or changed, and all of a
    /// snapshot.
    ///
    /// It is one statement. Objects that were deleted since the update are missing.
    ///
    /// - Throws: The errors of ``fetch(_:)``.
    public func objects<Object: ManagedObject>(
        of update: FetchedResultsUpdate<Object>
    ) throws -> [ObjectID<Object>: Object] {
        let ids = update.presentObjectIDs
        guard let first = ids.first else { return [:] }
        let root = store.layouts.layout(storedName: first.entityName).map { layouts[$0.root].name }
        var request = request(for: ids, of: root)
        request.shouldRefreshRefetchedObjects = true
        request.returnsObjectsAsFaults = false
        let objects = try fetch(request).map { ($0.objectID.typed(as: Object.self), $0 as? Object) }
        return Dictionary(objects.compactMap { id, object in object.map { (id, $0) } }) { first, _ in first }
    }

    /// Returns a request for stored objects of an entity.
    func request<Object: ManagedObject>(
        for ids: [ObjectID<Object>], of entity: String?
    ) -> FetchRequest<ManagedObject> {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = PredicateTree(
            .comparison(
                lhs: .evaluatedObject, op: .in,
                rhs: .collection(ids.map { .reference(ObjectReference(key: $0.key, entity: $0.entityName)) }))
        )
        return request
    }
}
