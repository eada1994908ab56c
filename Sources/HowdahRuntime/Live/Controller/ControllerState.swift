import HowdahModel

/// An object as a row: equal only to itself.
struct ResultObject<Object: ManagedObject>: Hashable {
    let object: Object

    static func == (one: Self, other: Self) -> Bool { one.object === other.object }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
}

extension ResultList {
    /// The sections with their objects.
    func infos<Object>() -> [FetchedResultsSectionInfo<Object>] where Row == ResultObject<Object> {
        sections.map { FetchedResultsSectionInfo(name: $0.name, objects: $0.rows.map(\.object)) }
    }
}

/// The objects of a controller, with their places in the order.
struct ControllerState<Object: ManagedObject> {
    private typealias Placed = (row: ResultObject<Object>, place: MemoryOrder.Place, section: String)

    private(set) var list = ResultList<ResultObject<Object>>()
    /// Indicates whether the last update failed, so that the next one fetches.
    var mustFetch = false
    private let request: ResultRequest
    private let fetch: FetchRequest<Object>
    private let sections: MemoryOrder?
    private let sectionPath: String
    private var rows: [Placed] = []
    private var isPlaceable = true

    /// Fetches the objects.
    init(
        _ request: ResultRequest, _ fetch: FetchRequest<Object>, _ sections: String?,
        in context: ManagedObjectContext
    ) throws {
        self.request = request
        self.fetch = fetch
        self.sections = sections.map { MemoryOrder([SortKey<Object>(keyPath: $0)]) }
        sectionPath = sections ?? ""
        try fetchAll(in: context)
    }

    private mutating func fetchAll(in context: ManagedObjectContext) throws {
        rows = try context.fetch(fetch).map { try placed($0) }
        try context.throwFailure()
        isPlaceable =
            !request.isOrderedByServer
            && !zip(rows, rows.dropFirst()).contains { request.order.precedes($1.place, $0.place) }
        mustFetch = false
        try makeList()
    }

    private func placed(_ object: Object) throws -> Placed {
        let value = sections?.place(of: object).leading
        guard let name = value.map({ $0.sectionName }) ?? "" else {
            throw ResultRequest.refusal(of: sectionPath)
        }
        return (ResultObject(object: object), request.order.place(of: object), name)
    }

    private mutating func makeList() throws {
        guard sections != nil else {
            list = ResultList(rows: rows.map(\.row))
            return
        }
        let list = ResultList(rows: rows.map { ($0.row, $0.section) })
        guard Set(list.sections.map { Array($0.name.utf8) }).count == list.sections.count else {
            throw FetchError(
                .invalidRequest,
                "The sections by '\(sectionPath)' are not together in the order of the request. Sort first by '\(sectionPath)', "
                    + "or by a key with the same order.")
        }
        self.list = list
    }

    /// Follows changes of the context, and returns the changed objects; nil if the changes do not concern the result.
    mutating func update(
        _ change: ContextChange, in context: ManagedObjectContext
    ) throws -> Set<ResultObject<Object>>? {
        let layouts = context.store.layouts
        let ids =
            change.insertedObjectIDs + change.updatedObjectIDs + change.deletedObjectIDs
            + change.refreshedObjectIDs
        let entities = Set(ids.map(\.entityName)).compactMap { layouts.layout(storedName: $0)?.name }
        let routes = request.dependencies.routes.filter { !$0.entities.isDisjoint(with: entities) }
        guard !routes.isEmpty || mustFetch else { return nil }
        let own = ids.filter { id in
            layouts.layout(storedName: id.entityName).map {
                request.dependencies.routes[0].entities.contains($0.name)
            } ?? false
        }
        let touched = own.compactMap { id in
            layouts.layout(storedName: id.entityName).flatMap {
                context.registry.find(root: $0.root, key: id.key) as? Object
            }
        }
        if mustFetch || !isPlaceable || request.limit > 0 || routes.contains(where: { !$0.path.isEmpty })
            || fetch.includesPendingChanges == false
        {
            try fetchAll(in: context)
        } else {
            try place(
                touched, unknown: Set(own).subtracting(touched.map { $0.objectID.typed() }), in: context)
        }
        return Set(touched.map { ResultObject(object: $0) })
    }

    /// Decides in memory about objects of the context, and by one fetch about new ones that it does not have.
    private mutating func place(
        _ touched: [Object], unknown: Set<ObjectID<ManagedObject>>, in context: ManagedObjectContext
    ) throws {
        var candidates = touched.filter {
            $0.managedObjectContext === context && !$0._flags.contains(.deleted)
        }
        if let predicate = fetch.predicate {
            let evaluator = try PredicateEvaluator(predicate)
            candidates = try candidates.filter { try evaluator.evaluate($0) }
        }
        let stored = unknown.filter { !$0.isTemporaryID }
        if !stored.isEmpty {
            var request = fetch
            let references = stored.map {
                Value.reference(ObjectReference(key: $0.key, entity: $0.entityName))
            }
            request.predicate = PredicateTree(
                .all([
                    fetch.predicate?.root ?? .constant(true),
                    .comparison(lhs: .evaluatedObject, op: .in, rhs: .collection(references)),
                ]))
            candidates += try context.fetch(request)
        }
        let gone = Set(touched.map { ResultObject(object: $0) })
        // Among equal values keys decide, and a save has given new objects theirs.
        for place in rows.indices where !rows[place].place.hasKey(of: rows[place].row.object) {
            rows[place] = try placed(rows[place].row.object)
        }
        var known: Set<ResultObject<Object>> = []
        let arriving = try candidates.filter { known.insert(ResultObject(object: $0)).inserted }
            .map { try placed($0) }.sorted { request.order.precedes($0.place, $1.place) }
        try context.throwFailure()
        var merged: [Placed] = []
        var rest = arriving[...]
        for row in rows where !gone.contains(row.row) && row.row.object.managedObjectContext === context {
            while let next = rest.first, request.order.precedes(next.place, row.place) {
                merged.append(next)
                rest.removeFirst()
            }
            merged.append(row)
        }
        rows = merged + rest
        if zip(rows, rows.dropFirst()).contains(where: { request.order.precedes($1.place, $0.place) }) {
            return try fetchAll(in: context)
        }
        try makeList()
    }
}
