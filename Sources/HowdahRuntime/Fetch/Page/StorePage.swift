import HowdahModel
import PQClient

/// A page of the database: one row more than the page has. Each row ends with the values that determine the
/// order.
struct StorePage {
    let context: ManagedObjectContext

    func run<Object: ManagedObject>(
        _ request: FetchRequest<Object>, after cursor: String?, _ layout: EntityLayout
    ) throws -> (objects: [ManagedObject], next: String?) {
        do {
            let (statement, order) = try statement(of: request, layout, after: cursor)
            return try context.withConnection { connection in
                var registration = Registration(
                    context, statement.selection, of: layout,
                    refills: request.shouldRefreshRefetchedObjects)
                let result = try connection.query(
                    statement.sql, statement.parameters, about: statement.subject)
                let found = try registration.register(result)
                registration.makeCohort(for: request)
                registration.awaken()
                let hasMore = result.rowCount > request.fetchLimit
                let next = hasMore ? Self.place(in: result, row: request.fetchLimit - 1, of: order) : nil
                return (Array(found.prefix(request.fetchLimit)), next?.text)
            }
        } catch let error as PostgresError where cursor != nil && error.isAboutAltered {
            throw PageCursor.unreadable
        }
    }

    /// Returns the statement of a page, with one row more than the page has.
    func statement<Object: ManagedObject>(
        of request: FetchRequest<Object>, _ layout: EntityLayout, after cursor: String?
    ) throws -> (FetchStatement, OrderIdentity) {
        var fetch = try RenderedFetch(request, layout: layout, layouts: context.layouts)
        let order = OrderIdentity(fetch)
        if let cursor { try fetch.begin(after: PageCursor(cursor).cells(for: order)) }
        let statement = try FetchStatement(
            fetch, selection: context.filledSelection(for: request, of: layout),
            limit: request.fetchLimit + 1,
            offset: 0, behind: fetch.sources.map(\.selected), comment: request.comment)
        return (statement, order)
    }

    /// Returns the cursor of a row, whose last cells are those of the order.
    static func place(in result: QueryResult, row: Int, of order: OrderIdentity) -> PageCursor {
        withExtendedLifetime(result) {
            let row = result.row(row)
            let cells = ((row.count - order.count)..<row.count).map { row[$0] }
            return PageCursor(cells.map { $0.isNull ? nil : Array($0.bytes) }, for: order)
        }
    }
}
extension RenderedFetch {
    /// Leaves out all rows up to a position.
    mutating func begin(after cells: [[UInt8]?]) {
        let values = zip(sources, cells).map { source, cell -> String? in
            guard let cell else { return nil }
            parameters.append(source.type.oid) { $0.bytes(cell) }
            return "$\(parameters.count)"
        }
        require(KeysetCondition(terms: terms, values: values).sql)
    }
}

extension PostgresError {
    /// A Boolean value that indicates whether a parameter does not have the form of its type.
    fileprivate var isAboutAltered: Bool {
        ["22P03", "22P02", "22003", "22008", "22021", "22023", "08P01"].contains(sqlState)
    }
}
