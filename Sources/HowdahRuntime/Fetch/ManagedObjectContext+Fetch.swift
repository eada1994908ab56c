public import Foundation
public import HowdahModel

extension ManagedObjectContext {
    /// Returns the objects that a request describes, as they will be after a save of the unsaved changes.
    ///
    /// The call blocks the calling thread for one statement, and one more per prefetched step. Objects that
    /// the context knows already keep their values, changed or not. Unsaved objects that match are merged at
    /// their place in the order. Those without an id of the store come last if the order does not decide.
    ///
    /// If a key path of the request crosses relationships to changed objects, one more statement reads the
    /// objects at the other end. Unloaded objects on the path are loaded. See
    /// ``FetchRequest/includesPendingChanges``.
    ///
    /// - Throws: `PredicateTreeError` for a predicate that is wrong or does not fit the model; `FetchError`
    ///   with `unknownEntity`, `invalidRequest` or `database`; the error of a fault that could not be filled
    ///   earlier.
    public func fetch<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        try FetchPipeline(context: self).run(request)
    }

    /// Returns the objects of a class that match a `#Predicate`, in an order, at most `limit` of them (0:
    /// all).
    ///
    /// The database evaluates the predicate; `docs/predicates.md` lists the supported expressions.
    ///
    /// - Parameter prefetching: Relationships to load in the same call, with one statement each. If `limit` is 1,
    ///   up to four to-one relationships are loaded by the fetch's own statement.
    /// - Throws: The errors of ``fetch(_:)``; `PredicateTreeError.unsupported` names the part that the
    ///   database cannot evaluate.
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

    /// Returns the objects of a class that match a predicate, in an order, at most `limit` of them (0: all).
    ///
    /// - Parameter prefetching: Relationships to load in the same call, with one statement each. If `limit` is 1,
    ///   up to four to-one relationships are loaded by the fetch's own statement.
    /// - Throws: The errors of ``fetch(_:)``.
    public func fetch<Object: ManagedObject, each Relationship: RelationshipValue>(
        _ type: Object.Type, matching predicate: PredicateTree? = nil,
        sortedBy sortKeys: SortKey<Object>..., limit: Int = 0, offset: Int = 0,
        prefetching relationships: repeat KeyPath<Object, each Relationship>
    ) throws -> [Object] {
        var request: FetchRequest<Object> = request(nil, predicate, sortKeys, limit, offset)
        repeat try request.prefetch(each relationships)
        return try fetch(request)
    }

    /// Returns the objects of an entity by name.
    ///
    /// - Throws: The errors of ``fetch(_:)``.
    public func fetch(
        _ entityName: String, matching predicate: PredicateTree? = nil,
        sortedBy sortKeys: SortKey<ManagedObject>..., limit: Int = 0, offset: Int = 0
    ) throws -> [ManagedObject] {
        try fetch(request(entityName, predicate, sortKeys, limit, offset))
    }

    /// Returns the number of objects that a request describes.
    ///
    /// The call sends one statement. It loads objects only if unsaved changes concern them.
    ///
    /// - Throws: The errors of ``fetch(_:)``.
    public func count<Object: ManagedObject>(for request: FetchRequest<Object>) throws -> Int {
        try FetchPipeline(context: self).count(request)
    }

    /// Returns the number of objects of a class that match a `#Predicate`.
    ///
    /// - Throws: The errors of ``fetch(_:where:sortedBy:limit:offset:prefetching:)``.
    public func count<Object: ManagedObject>(
        _ type: Object.Type, where predicate: Predicate<Object>
    ) throws -> Int {
        try count(for: FetchRequest(where: predicate))
    }

    /// Returns the number of objects of a class that match a predicate.
    ///
    /// - Throws: The errors of ``fetch(_:)``.
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
            let (name, number) =
                request.fetchLimit < 0
                ? ("fetchLimit", request.fetchLimit)
                : request.fetchOffset < 0
                    ? ("fetchOffset", request.fetchOffset) : ("fetchBatchSize", request.fetchBatchSize)
            throw FetchError(.invalidRequest, "\(name) is \(number). Set \(name) to 0 or more.")
        }
        if let name = request.entityName {
            let layout = try store.layouts.required(name)
            guard store.classes[layout] is Object.Type else {
                throw FetchError(
                    .invalidRequest,
                    "Objects of \(name) have the class \(store.classes[layout]), not \(Object.self). Make a request of "
                        + "\(store.classes[layout])."
                )
            }
            return layout
        }
        guard let layout = store.layout(of: Object.self) else {
            throw FetchError(
                .unknownEntity,
                "The model has no entity of the class \(Object.self). Name the class in the model, or the entity in "
                    + "the request.")
        }
        return layout
    }
}

extension ManagedObjectContext {
    /// Checks that rows can be locked here.
    ///
    /// - Throws: `FetchError.invalidRequest` if there is a lock but no transaction.
    func check(_ lock: RowLock?) throws {
        guard lock == nil || unit?.isTransaction == true else {
            throw FetchError(
                .invalidRequest,
                "A row lock needs a transaction, and no transaction is open. Pass an isolation to perform, which "
                    + "then begins a transaction."
            )
        }
    }

    /// Returns the unsaved changes that concern a request; propagates deletions first if that is set.
    func pending<Object: ManagedObject>(
        for request: FetchRequest<Object>, of layout: EntityLayout
    ) -> PendingFetch? {
        guard hasUnsavedObjects, request.includesPendingChanges, request.search == nil else { return nil }
        processPendingChanges()
        return PendingFetch(request, of: layout, in: self)
    }
}
