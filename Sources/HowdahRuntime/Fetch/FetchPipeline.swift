import HowdahModel
import PQClient

/// How a request becomes objects, stage by stage; `docs/life-of-a-fetch.md` follows the same numbers.
struct FetchPipeline {
    let context: ManagedObjectContext

    // 1 Ask: the request says which entity, which objects, in which order.
    func run<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> [Object] {
        try context.throwFailure()
        let layout = try context.layout(for: request)

        do {
            // 2 Lower: format text or #Predicate became one tree with the request; what was wrong is thrown here.
            if let error = request.predicate?.error { throw error }

            // 3 Resolve: names to columns and joins.
            let resolved = try ResolvedFetch(request, layout: layout, layouts: context.layouts)
            for path in request.relationshipKeyPathsForPrefetching {
                try Prefetch(context).check(path, from: layout)
            }

            // 4 Render: one statement and the layout of its rows.
            let selection =
                request.includesPropertyValues
                ? context.store.layouts.selection(of: layout) : context.store.layouts.identities(of: layout)
            guard request.rowLock == nil || context.unit?.isTransaction == true else {
                throw FetchError(
                    .invalidRequest,
                    "Rows are locked until a transaction ends, and there is none; give perform an isolation.")
            }
            let statement = FetchStatement(
                resolved, selection: selection, limit: request.fetchLimit, offset: request.fetchOffset,
                lock: request.rowLock)

            return try context.withConnection { connection in
                // 5 Run, 6 decode rows straight into typed storage, and 7 register, keeping unsaved changes.
                var registration = Registration(
                    context, selection, of: layout, fills: request.includesPropertyValues,
                    refills: request.shouldRefreshRefetchedObjects || request.rowLock != nil,
                    expecting: statement.expectedRows(context.store.sizes))
                try statement.run(on: connection, sizes: context.store.sizes, into: &registration)
                if request.loadsCohorts { registration.makeCohort() }
                registration.awaken()

                // 8 Prefetch the paths that were asked for, a statement per step.
                for path in request.relationshipKeyPathsForPrefetching {
                    try Prefetch(context).follow(path, from: registration.objects)
                }
                return context.visible(registration.objects, of: layout)
            }
        } catch {
            throw Store.readError(error)
        }
    }

    /// Stages 1 to 5 for a count.
    func count<Object: ManagedObject>(_ request: FetchRequest<Object>) throws -> Int {
        try context.throwFailure()
        let layout = try context.layout(for: request)
        do {
            if let error = request.predicate?.error { throw error }
            let resolved = try ResolvedFetch(
                request, layout: layout, layouts: context.layouts, ordered: false)
            let statement = FetchStatement.count(
                resolved, limit: request.fetchLimit, offset: request.fetchOffset)
            return try context.withConnection { connection in
                let result = try connection.query(statement.sql, statement.parameters)
                return Int(result.scalar(\.int64) ?? 0)
            }
        } catch {
            throw Store.readError(error)
        }
    }
}
