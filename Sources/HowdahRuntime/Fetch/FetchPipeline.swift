import HowdahModel

/// The stages in which a request becomes objects; `docs/life-of-a-fetch.md` uses the same numbers.
///
/// The backing runs stages 4 to 7: ``StoreFetch`` for the database. A parent context runs all stages itself.
struct FetchPipeline {
    let context: ManagedObjectContext

    func run<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        // 1 Identify: the entity, unless an earlier fault has failed.
        let layout = try identify(request)
        do {
            // 2 Check: the error that the predicate kept when it was made, and the paths to prefetch.
            try check(request, layout)
            // 3 Divide: rows that unsaved changes concern are left to memory.
            let (rest, pending) = try divide(request, layout)
            // 4 Resolve, 5 render, 6 run and 7 register.
            var objects = try context.backing.fetch(rest, of: layout, in: context)
            // 8 Merge: what memory decided, in the request's order.
            try merge(pending, into: &objects, request, layout)
            // 9 Prefetch: the paths that were asked for, a statement for each step.
            try prefetch(request, from: objects)
            // Deleted objects are left out at the end: a hook of a prefetched object may delete some.
            return request.includesPendingChanges
                ? context.visible(objects, of: layout) : context.typed(objects, of: layout)
        } catch {
            throw context.store.readError(
                error, of: layout, patterns: request.patterns, search: request.search)
        }
    }

    /// Runs stages 1 and 3, and a count instead of 4 to 8. Of stage 2, it checks only the predicate, not
    /// paths to prefetch.
    func count<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int {
        guard request.rowLock == nil else {
            throw FetchError(
                .invalidRequest,
                "A count cannot lock rows, and it counts rows that other sessions have locked. Count without the "
                    + "rowLock, or count the result of fetchObjectIDs with the lock.")
        }
        let layout = try identify(request)
        do {
            if let error = request.predicate?.error { throw error }
            let (rest, pending) = try divide(request, layout)
            let count = try context.backing.count(rest, of: layout, in: context)
            guard let pending else { return count }
            return request.cut(count: count + (try matches(request, pending, layout)).count)
        } catch {
            throw context.store.readError(
                error, of: layout, patterns: request.patterns, search: request.search)
        }
    }

    // MARK: The stages

    private func identify<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> EntityLayout {
        try context.throwFailure()
        return try context.layout(for: request)
    }

    private func check<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ layout: EntityLayout
    ) throws {
        if let error = request.predicate?.error { throw error }
        for path in request.relationshipKeyPathsForPrefetching {
            try Prefetch(context).check(path, from: layout)
        }
    }

    /// - Returns: The request for the backing, and the effect of unsaved changes on it; nil if they have
    ///   none.
    private func divide<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ layout: EntityLayout
    ) throws -> (rest: FetchRequest<Object>, pending: PendingFetch?) {
        let pending = context.pending(for: request, of: layout)
        try context.throwFailure()
        guard let pending else { return (request, nil) }
        return (pending.stored(request), pending)
    }

    private func merge<Object: ManagedObject>(
        _ pending: PendingFetch?, into objects: inout [ManagedObject], _ request: FetchRequest<Object>,
        _ layout: EntityLayout
    ) throws {
        guard let pending else { return }
        let matches = try matches(request, pending, layout)
        if !matches.isEmpty { try MemoryOrder.check(request.sortDescriptors) }
        objects = Array(request.cut(MemoryOrder(request.sortDescriptors).merge(matches, into: objects)))
        try context.throwFailure()
    }

    /// Returns the matching objects here that the backing cannot decide about, in no order.
    private func matches<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ pending: PendingFetch, _ layout: EntityLayout
    ) throws -> [ManagedObject] {
        var objects = pending.candidates
        if let looked = pending.looked(request) {
            objects += try context.backing.fetch(looked, of: layout, in: context)
        }
        guard let predicate = request.predicate else { return objects }
        let evaluator = try PredicateEvaluator(predicate)
        let found = try objects.filter { try evaluator.evaluate($0) }
        try context.throwFailure()
        return found
    }

    private func prefetch<Object: ManagedObject>(
        _ request: FetchRequest<Object>, from objects: [ManagedObject]
    ) throws {
        for path in request.relationshipKeyPathsForPrefetching {
            try Prefetch(context, comment: request.comment).follow(path, from: objects)
        }
    }
}
