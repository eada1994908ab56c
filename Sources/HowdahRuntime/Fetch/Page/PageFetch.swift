import HowdahModel
import PQClient

/// How a page becomes objects: as a fetch of the store, with one row more than asked for, and the values that the
/// order depends on behind each row.
struct PageFetch {
    let context: ManagedObjectContext

    func run<Object: ManagedObject>(
        _ request: FetchRequest<Object>, after cursor: PageCursor?
    ) throws -> FetchedPage<Object> {
        try context.throwFailure()
        let layout = try checkedLayout(for: request)
        for path in request.relationshipKeyPathsForPrefetching {
            try Prefetch(context).check(path, from: layout)
        }
        if let parent = context.parent { return try run(request, after: cursor, of: layout, by: parent) }
        do {
            let (statement, order) = try statement(of: request, layout, after: cursor)
            return try context.withConnection { connection in
                var registration = Registration(
                    context, statement.selection, of: layout,
                    refills: request.shouldRefreshRefetchedObjects)
                let result = try connection.query(statement.sql, statement.parameters)
                let found = try registration.register(result)
                registration.makeCohort(for: request)
                registration.awaken()
                let objects = Array(found.prefix(request.fetchLimit))
                for path in request.relationshipKeyPathsForPrefetching {
                    try Prefetch(context, comment: request.comment).follow(path, from: objects)
                }
                let hasMore = result.rowCount > request.fetchLimit
                let next = hasMore ? Self.place(in: result, row: request.fetchLimit - 1, of: order) : nil
                return FetchedPage(objects: context.visible(objects, of: layout), next: next)
            }
        } catch let error as PostgresError where cursor != nil && error.isAboutAltered {
            throw PageCursor.unreadable
        } catch {
            throw context.store.readError(
                error, of: layout, patterns: request.patterns, search: request.search)
        }
    }

    /// The entity of a request that can be fetched by pages.
    func checkedLayout<Object: ManagedObject>(for request: FetchRequest<Object>) throws -> EntityLayout {
        guard request.fetchLimit > 0, request.fetchLimit < Int32.max, request.fetchOffset == 0 else {
            throw FetchError(
                .invalidRequest,
                "A page needs a fetchLimit and has no fetchOffset; its cursor says where it begins.")
        }
        guard request.rowLock == nil else {
            throw FetchError(
                .invalidRequest, "Pages lock no rows; fetch what is to be locked by its own request.")
        }
        if let error = request.predicate?.error { throw error }
        return try context.layout(for: request)
    }

    /// The statement of a page, with one row more than the page has.
    func statement<Object: ManagedObject>(
        of request: FetchRequest<Object>, _ layout: EntityLayout, after cursor: PageCursor?
    ) throws -> (FetchStatement, OrderIdentity) {
        var fetch = try ResolvedFetch(request, layout: layout, layouts: context.layouts)
        let order = OrderIdentity(fetch)
        if let cursor { try fetch.begin(after: cursor.cells(for: order)) }
        let statement = try FetchStatement(
            fetch, selection: context.filledSelection(for: request, of: layout),
            limit: request.fetchLimit + 1,
            offset: 0, behind: fetch.sources.map(\.selected), comment: request.comment)
        return (statement, order)
    }

    /// A child's page is its parent's.
    private func run<Object: ManagedObject>(
        _ request: FetchRequest<Object>, after cursor: PageCursor?, of layout: EntityLayout,
        by parent: ManagedObjectContext
    ) throws -> FetchedPage<Object> {
        var asked = request
        asked.relationshipKeyPathsForPrefetching = []
        asked.propertiesToFetch = []
        let page = try parent.fetchPage(asked, after: cursor)
        let objects = context.standIns(
            for: page.objects, refills: request.shouldRefreshRefetchedObjects, isCohort: request.loadsCohorts)
        for path in request.relationshipKeyPathsForPrefetching {
            try Prefetch(context, comment: request.comment).follow(path, from: objects)
        }
        return FetchedPage(objects: context.visible(objects, of: layout), next: page.next)
    }

    private static func place(in result: QueryResult, row: Int, of order: OrderIdentity) -> PageCursor {
        withExtendedLifetime(result) {
            let row = result.row(row)
            let cells = ((row.count - order.count)..<row.count).map { row[$0] }
            return PageCursor(cells.map { $0.isNull ? nil : Array($0.bytes) }, for: order)
        }
    }
}

extension ResolvedFetch {
    /// Leaves out all rows up to a place.
    fileprivate mutating func begin(after cells: [[UInt8]?]) {
        let values = zip(sources, cells).map { source, cell -> String? in
            guard let cell else { return nil }
            parameters.append(source.type.oid) { $0.bytes(cell) }
            return "$\(parameters.count)"
        }
        require(KeysetCondition(terms: terms, values: values).sql)
    }
}

extension PostgresError {
    /// Whether a parameter is not of the form that its type has.
    fileprivate var isAboutAltered: Bool {
        ["22P03", "22P02", "22003", "22008", "22021", "22023", "08P01"].contains(sqlState)
    }
}
