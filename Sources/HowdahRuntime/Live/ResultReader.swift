import HowdahModel

/// Reads the rows of a followed result in a context of their own.
struct ResultReader {
    /// The number of objects at one route beyond which the whole result is fetched again.
    static let mostCandidates = 10_000

    let context: ManagedObjectContext
    let request: ResultRequest

    /// Returns all rows, or the first ones, and the position after which there are more; nil if there are none.
    func first() throws -> (rows: [ResultRow], next: PageCursor?) {
        guard request.limit > 0 else { return (try rows(context.fetch(request.fetch)), nil) }
        return try page(of: request.limit + request.bench, after: nil)
    }

    /// Returns the next rows after a position.
    func page(of count: Int, after cursor: PageCursor?) throws -> (rows: [ResultRow], next: PageCursor?) {
        var fetch = request.fetch
        fetch.fetchLimit = min(count, Int(Int32.max) - 1)
        let page = try context.fetchPage(fetch, after: cursor)
        return (try rows(page.objects), page.next)
    }

    /// Returns the rows of those of the objects that match, in order.
    func members(of ids: Set<ObjectID<ManagedObject>>) throws -> [ResultRow] {
        guard !ids.isEmpty else { return [] }
        var fetch = request.fetch
        let references = ids.map { Value.reference(ObjectReference(key: $0.key, entity: $0.entityName)) }
        fetch.predicate = PredicateTree(
            .all([
                fetch.predicate?.root ?? .constant(true),
                .comparison(lhs: .evaluatedObject, op: .in, rhs: .collection(references)),
            ]))
        (fetch.sortDescriptors, fetch.fetchLimit) = ([], 0)
        return try rows(context.fetch(fetch)).sorted { request.order.precedes($0.place, $1.place) }
    }

    /// Returns the objects from which the route reaches one of these; nil if they are too many.
    func candidates(
        _ route: FetchDependencies.Route, _ objects: Set<ObjectReference>
    ) throws -> [ObjectID<ManagedObject>]? {
        var fetch = FetchRequest<ManagedObject>(entityName: request.key.entity)
        fetch.includesSubentities = request.key.includesSubentities
        fetch.predicate = PredicateTree(
            .comparison(
                lhs: .keyPath(route.path), op: .in, rhs: .collection(objects.map { .reference($0) }),
                modifier: route.crossesToMany ? .any : .direct))
        fetch.fetchLimit = Self.mostCandidates + 1
        fetch.tag = request.fetch.tag
        let ids = try context.fetchObjectIDs(fetch)
        return ids.count > Self.mostCandidates ? nil : ids
    }

    private func rows(_ objects: [ManagedObject]) throws -> [ResultRow] {
        let rows = try objects.map { object in
            let place = request.order.place(of: object)
            guard request.sections != nil else {
                return ResultRow(id: object.objectID, place: place, section: "")
            }
            guard let name = place.leading.sectionName else {
                throw ResultRequest.refusal(of: request.key.sections ?? "")
            }
            return ResultRow(id: object.objectID, place: place, section: name)
        }
        try context.throwFailure()
        return rows
    }
}
