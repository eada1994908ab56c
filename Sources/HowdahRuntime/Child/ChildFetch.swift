import HowdahModel

/// How a child fetches: its parent answers as a store would, with its own unsaved changes among the results, and the
/// child's unsaved changes are merged in.
struct ChildFetch {
    let context: ManagedObjectContext

    func run<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        let layout = try context.layout(for: request)
        if let error = request.predicate?.error { throw error }
        guard request.rowLock == nil else {
            throw FetchError(
                .invalidRequest,
                "A child context locks no rows; fetch with the lock in the context that saves to the database."
            )
        }
        for path in request.relationshipKeyPathsForPrefetching {
            try Prefetch(context).check(path, from: layout)
        }
        _ = try context.filledSelection(for: request, of: layout)
        let pending = context.pending(for: request, of: layout)
        try context.throwFailure()
        var objects = context.standIns(
            for: try asked(pending?.stored(request) ?? request), fills: request.includesPropertyValues,
            refills: request.shouldRefreshRefetchedObjects, isCohort: request.loadsCohorts)
        if let pending {
            let matches = try matches(request, pending)
            objects = Array(request.cut(MemoryOrder(request.sortDescriptors).merge(matches, into: objects)))
            try context.throwFailure()
        }
        for path in request.relationshipKeyPathsForPrefetching {
            try Prefetch(context, comment: request.comment).follow(path, from: objects)
        }
        return request.includesPendingChanges
            ? context.visible(objects, of: layout) : context.typed(objects, of: layout)
    }

    func count<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int {
        guard let parent = context.parent else { return 0 }
        let layout = try context.layout(for: request)
        if let error = request.predicate?.error { throw error }
        let pending = context.pending(for: request, of: layout)
        try context.throwFailure()
        var asked = pending?.stored(request) ?? request
        asked.includesPendingChanges = true
        let count = try parent.count(for: asked)
        guard let pending else { return count }
        return request.cut(count: count + (try matches(request, pending)).count)
    }

    /// What the parent finds, by its own unsaved changes whatever the child wants of its.
    private func asked<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        guard let parent = context.parent else { return [] }
        var request = request
        request.includesPendingChanges = true
        request.relationshipKeyPathsForPrefetching = []
        // A child takes what its parent has: whole objects.
        request.propertiesToFetch = []
        return try parent.fetch(request)
    }

    /// The objects here that the parent cannot decide about and that the request describes, in no order.
    private func matches<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ pending: PendingFetch
    ) throws -> [ManagedObject] {
        var objects = pending.candidates
        if let looked = pending.looked(request) { objects += context.standIns(for: try asked(looked)) }
        guard let predicate = request.predicate else { return objects }
        let evaluator = try PredicateEvaluator(predicate)
        let found = try objects.filter { try evaluator.evaluate($0) }
        try context.throwFailure()
        return found
    }
}
