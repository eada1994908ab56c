public import Foundation
public import HowdahModel

extension ManagedObjectContext {
    /// The objects that a request describes, as they will be after a save of the unsaved changes.
    ///
    /// One statement, and one more per prefetched step. Blocks the calling thread. Objects that the context knows
    /// already keep their values, changed or not. Unsaved objects that match are merged in where the order wants them;
    /// those without an id of the store come last where nothing else decides. Where a key path of the request crosses
    /// relationships to changed objects, one more statement reads the objects on the other end, and what is not loaded
    /// of the path is. See ``FetchRequest/includesPendingChanges``.
    ///
    /// - Throws: `PredicateTreeError` for a predicate that is wrong or does not fit the model; `FetchError` with
    ///   `unknownEntity`, `invalidRequest` or `database`; the failure of an earlier fault.
    public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        try FetchPipeline(context: self).run(request)
    }

    /// The objects of a class that a `#Predicate` holds for, in an order, at most `limit` of them (0: all).
    ///
    /// The predicate is run by the database; `docs/predicates.md` says what it may contain.
    ///
    /// - Parameter prefetching: Relationships to load in the same call, one statement each.
    /// - Throws: as ``fetch(_:)``; `PredicateTreeError.unsupported` names the part that cannot be run.
    public func fetch<Object: ManagedObject, each Relationship: RelationshipValue>(
        _ type: Object.Type, where predicate: Predicate<Object>, sortedBy sortKeys: SortKey<Object>...,
        limit: Int = 0, offset: Int = 0,
        prefetching relationships: repeat KeyPath<Object, each Relationship>
    ) throws -> [Object] {
        var request = FetchRequest(where: predicate)
        request.sortDescriptors = sortKeys
        request.fetchLimit = limit
        request.fetchOffset = offset
        repeat try request.prefetch(each relationships)
        return try fetch(request)
    }

    /// The objects of a class that match a predicate, in an order, at most `limit` of them (0: all).
    ///
    /// - Parameter prefetching: Relationships to load in the same call, one statement each.
    /// - Throws: as ``fetch(_:)``.
    public func fetch<Object: ManagedObject, each Relationship: RelationshipValue>(
        _ type: Object.Type, matching predicate: PredicateTree? = nil,
        sortedBy sortKeys: SortKey<Object>..., limit: Int = 0, offset: Int = 0,
        prefetching relationships: repeat KeyPath<Object, each Relationship>
    ) throws -> [Object] {
        var request: FetchRequest<Object> = request(nil, predicate, sortKeys, limit, offset)
        repeat try request.prefetch(each relationships)
        return try fetch(request)
    }

    /// The objects of an entity by name.
    ///
    /// - Throws: as ``fetch(_:)``.
    public func fetch(
        _ entityName: String, matching predicate: PredicateTree? = nil,
        sortedBy sortKeys: SortKey<ManagedObject>..., limit: Int = 0, offset: Int = 0
    ) throws -> [ManagedObject] {
        try fetch(request(entityName, predicate, sortKeys, limit, offset))
    }

    /// How many objects a request describes; one statement, and nothing is loaded but what unsaved changes concern.
    ///
    /// - Throws: as ``fetch(_:)``.
    public func count<Object: ManagedObject>(for request: FetchRequest<Object>) throws -> Int {
        try FetchPipeline(context: self).count(request)
    }

    /// How many objects of a class a `#Predicate` holds for.
    ///
    /// - Throws: as ``fetch(_:where:sortedBy:limit:offset:prefetching:)``.
    public func count<Object: ManagedObject>(
        _ type: Object.Type, where predicate: Predicate<Object>
    ) throws -> Int {
        try count(for: FetchRequest(where: predicate))
    }

    /// How many objects of a class match a predicate.
    ///
    /// - Throws: as ``fetch(_:)``.
    public func count<Object: ManagedObject>(
        _ type: Object.Type, matching predicate: PredicateTree? = nil
    ) throws -> Int {
        try count(for: request(nil, predicate, [], 0, 0) as FetchRequest<Object>)
    }

    private func request<Object>(
        _ entityName: String?, _ predicate: PredicateTree?, _ sortKeys: [SortKey<Object>], _ limit: Int,
        _ offset: Int
    ) -> FetchRequest<Object> {
        var request = FetchRequest<Object>(entityName: entityName)
        request.predicate = predicate
        request.sortDescriptors = sortKeys
        request.fetchLimit = limit
        request.fetchOffset = offset
        return request
    }

    package func layout<Object: ManagedObject>(for request: FetchRequest<Object>) throws -> EntityLayout {
        guard request.fetchLimit >= 0, request.fetchOffset >= 0, request.fetchBatchSize >= 0 else {
            throw FetchError(.invalidRequest, "fetchLimit, fetchOffset and fetchBatchSize are 0 or more.")
        }
        if let name = request.entityName {
            let layout = try store.layouts.required(name)
            guard store.classes[layout] is Object.Type else {
                throw FetchError(
                    .invalidRequest,
                    "Objects of \(name) are \(store.classes[layout])s, not \(Object.self)s; make the request one of \(store.classes[layout])."
                )
            }
            return layout
        }
        guard let layout = store.layout(of: Object.self) else {
            throw FetchError(
                .unknownEntity,
                "The model has no entity of the class \(Object.self); name the class in the model, "
                    + "or the entity in the request.")
        }
        return layout
    }
}

extension ManagedObjectContext {
    /// Whether rows can be locked here.
    func check(_ lock: RowLock?) throws {
        guard lock == nil || unit?.isTransaction == true else {
            throw FetchError(
                .invalidRequest,
                "Rows are locked until a transaction ends, and there is none; give perform an isolation.")
        }
    }

    /// What unsaved changes mean for a request, with deletions propagated first where that is wanted.
    func pending<Object: ManagedObject>(
        for request: FetchRequest<Object>, of layout: EntityLayout
    ) -> PendingFetch? {
        guard hasUnsavedObjects, request.includesPendingChanges, request.search == nil else { return nil }
        processPendingChanges()
        return PendingFetch(request, of: layout, in: self)
    }
}
