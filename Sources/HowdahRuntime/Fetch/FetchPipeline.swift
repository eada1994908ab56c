import HowdahModel
import PQClient

/// How a request becomes objects, stage by stage; `docs/life-of-a-fetch.md` follows the same numbers.
struct FetchPipeline {
    let context: ManagedObjectContext

    // 1 Ask: the request says which entity, which objects, in which order.
    func run<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        try context.throwFailure()
        if context.parent != nil { return try ChildFetch(context: context).run(request) }
        let layout = try context.layout(for: request)

        do {
            // 2 Lower: format text or #Predicate became one tree with the request; what was wrong is thrown here.
            if let error = request.predicate?.error { throw error }

            // 3 Resolve: names to columns and joins; rows that unsaved changes concern are left to memory.
            for path in request.relationshipKeyPathsForPrefetching {
                try Prefetch(context).check(path, from: layout)
            }
            let pending = context.pending(for: request, of: layout)
            let asked = pending?.stored(request) ?? request
            let resolved = try ResolvedFetch(asked, layout: layout, layouts: context.layouts)

            // 4 Render: one statement and the layout of its rows.
            let fills = request.includesPropertyValues && request.fetchBatchSize == 0
            let filled = try context.filledSelection(for: request, of: layout)
            let selection = fills ? filled : context.store.layouts.identities(of: layout)
            try context.check(request.rowLock)
            let statement = FetchStatement(
                resolved, selection: selection, limit: asked.fetchLimit, offset: asked.fetchOffset,
                lock: request.rowLock, comment: request.comment)

            return try context.withConnection { connection in
                // 5 Run, 6 decode rows straight into typed storage, and 7 register, keeping unsaved changes.
                var registration = Registration(
                    context, selection, of: layout, fills: fills,
                    refills: request.shouldRefreshRefetchedObjects || request.rowLock != nil,
                    expecting: statement.expectedRows(context.store.sizes))
                try statement.run(on: connection, sizes: context.store.sizes, into: &registration)
                if request.fetchBatchSize > 0 {
                    registration.makeCohort(stepping: request.fetchBatchSize, comment: request.comment)
                } else {
                    registration.makeCohort(for: request)
                }
                registration.awaken()
                var objects = registration.objects
                if let pending {
                    let matches = try matches(request, pending, layout, connection)
                    objects = Array(
                        request.cut(MemoryOrder(request.sortDescriptors).merge(matches, into: objects)))
                    try context.throwFailure()
                }

                // 8 Prefetch the paths that were asked for, a statement per step.
                for path in request.relationshipKeyPathsForPrefetching {
                    try Prefetch(context, comment: request.comment).follow(path, from: objects)
                }
                return request.includesPendingChanges
                    ? context.visible(objects, of: layout) : context.typed(objects, of: layout)
            }
        } catch {
            throw context.store.readError(
                error, of: layout, patterns: request.patterns, search: request.search)
        }
    }

    /// Stages 1 to 5 for a count.
    func count<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int {
        try context.throwFailure()
        guard request.rowLock == nil else {
            throw FetchError(
                .invalidRequest,
                "A count locks no rows, and counts those that others have locked; count without the rowLock, or what "
                    + "fetchObjectIDs brings with it.")
        }
        if context.parent != nil { return try ChildFetch(context: context).count(request) }
        let layout = try context.layout(for: request)
        do {
            if let error = request.predicate?.error { throw error }
            let pending = context.pending(for: request, of: layout)
            let asked = pending?.stored(request) ?? request
            let resolved = try ResolvedFetch(
                asked, layout: layout, layouts: context.layouts, ordered: false)
            let statement = FetchStatement.count(
                resolved, limit: asked.fetchLimit, offset: asked.fetchOffset, comment: request.comment)
            return try context.withConnection { connection in
                let result = try connection.query(statement.sql, statement.parameters)
                let count = Int(result.scalar(\.int64) ?? 0)
                guard let pending else { return count }
                return request.cut(count: count + (try matches(request, pending, layout, connection)).count)
            }
        } catch {
            throw context.store.readError(
                error, of: layout, patterns: request.patterns, search: request.search)
        }
    }

    /// The objects here that the store cannot decide about and that the request describes, in no order.
    private func matches<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ pending: PendingFetch, _ layout: EntityLayout,
        _ connection: Connection
    ) throws -> [ManagedObject] {
        var objects = pending.candidates
        if let looked = pending.looked(request) {
            let resolved = try ResolvedFetch(looked, layout: layout, layouts: context.layouts)
            let selection = context.store.layouts.selection(of: layout)
            let statement = FetchStatement(resolved, selection: selection, limit: 0, offset: 0)
            var registration = Registration(context, selection, of: layout)
            try statement.run(on: connection, sizes: context.store.sizes, into: &registration)
            registration.makeCohort()
            registration.awaken()
            objects += registration.objects
        }
        guard let predicate = request.predicate else { return objects }
        let evaluator = try PredicateEvaluator(predicate)
        let found = try objects.filter { try evaluator.evaluate($0) }
        try context.throwFailure()
        return found
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
