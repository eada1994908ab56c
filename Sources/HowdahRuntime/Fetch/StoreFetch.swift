import HowdahModel
import PQClient

/// The stages of a fetch that the database runs; `docs/life-of-a-fetch.md` uses the same numbers.
struct StoreFetch {
    let context: ManagedObjectContext

    func run<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ layout: EntityLayout
    ) throws -> [ManagedObject] {
        // 4 Resolve: names to entities and orders, unless a fetch of this shape was rendered before.
        let resolved = try resolve(request, layout)
        // 5 Render: one statement and the layout of its rows.
        let statement = try render(resolved, request)
        return try context.withConnection { connection in
            // 6 Run: one round trip; rows go straight into typed storage.
            var registration = try run(statement, request, layout, connection)
            // 7 Register: the one object of each key, with unsaved changes kept.
            return register(&registration, request)
        }
    }

    func count<Object: ManagedObject>(
        _ request: FetchRequest<Object>, _ layout: EntityLayout
    ) throws -> Int {
        let resolved = try names(request, layout, ordered: false)
        let statement = FetchStatement.count(
            try RenderedFetch(resolved), limit: request.fetchLimit, offset: request.fetchOffset,
            comment: request.comment)
        return try context.withConnection { connection in
            let subject = StatementSubject(.select, layout.table.subject, comment: request.comment)
            let result = try connection.query(statement.sql, statement.parameters, about: subject)
            return Int(result.scalar(\.int64) ?? 0)
        }
    }

    /// Runs stages 4 and 5, which need no server.
    func statement<Object: ManagedObject>(
        of request: FetchRequest<Object>, _ layout: EntityLayout
    ) throws -> FetchStatement {
        let joined = JoinedDestination.slots(of: request, layout, in: context)
        return try statement(RenderedFetch(names(request, layout)), joining: joined, request)
    }

    // MARK: The stages

    private func render<Object: ManagedObject>(
        _ resolution: Resolution, _ request: FetchRequest<Object>
    ) throws -> FetchStatement {
        switch resolution {
        case .known(let statement): return statement
        case .names(let resolved, let joined, let shape):
            let rendered = try RenderedFetch(resolved)
            let statement = try statement(rendered, joining: joined, request)
            if let shape { keep(statement, of: rendered, shape) }
            return statement
        }
    }

    private func statement<Object: ManagedObject>(
        _ rendered: RenderedFetch, joining joined: [Int], _ request: FetchRequest<Object>
    ) throws -> FetchStatement {
        let filled = try context.filledSelection(for: request, of: rendered.layout)
        try context.check(request.rowLock)
        guard fills(request) else {
            return FetchStatement(
                rendered, selection: context.store.layouts.identities(of: rendered.layout),
                limit: request.fetchLimit, offset: request.fetchOffset, lock: request.rowLock,
                comment: request.comment)
        }
        return FetchStatement(
            rendered, selection: filled,
            joined: try JoinedDestination.all(joined, in: rendered, filled, context.store.layouts),
            limit: request.fetchLimit,
            offset: request.fetchOffset, lock: request.rowLock,
            comment: request.comment)
    }

    /// Returns a Boolean value that indicates whether rows have values.
    private func fills<Object: ManagedObject>(_ request: FetchRequest<Object>) -> Bool {
        request.includesPropertyValues && request.fetchBatchSize == 0
    }

    private func run<Object: ManagedObject>(
        _ statement: FetchStatement, _ request: FetchRequest<Object>, _ layout: EntityLayout,
        _ connection: Connection
    ) throws -> Registration {
        var registration = Registration(
            context, statement.selection, of: layout, fills: fills(request),
            refills: request.shouldRefreshRefetchedObjects || request.rowLock != nil,
            joined: statement.joined, expecting: statement.expectedRows(context.store.sizes))
        try statement.run(on: connection, sizes: context.store.sizes, into: &registration)
        return registration
    }

    private func register<Object: ManagedObject>(
        _ registration: inout Registration, _ request: FetchRequest<Object>
    ) -> [ManagedObject] {
        if request.fetchBatchSize > 0 {
            registration.makeCohort(stepping: request.fetchBatchSize, comment: request.comment)
        } else {
            registration.makeCohort(for: request)
        }
        registration.awaken()
        return registration.objects
    }
}
