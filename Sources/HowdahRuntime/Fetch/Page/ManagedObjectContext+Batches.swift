public import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Runs `body` with the objects of a request, `size` of them at a time, in the request's order.
    ///
    /// Memory holds one batch if `body` neither keeps nor changes objects; changed ones stay until they are
    /// saved. The result is that of one moment. The call sends one statement for each batch, one per
    /// prefetched step of it, and two more.
    ///
    /// Inside of a transaction of `perform` the rows arrive as they are found. Elsewhere the server first
    /// writes the whole result to its disk, so that `body` may save. To leave early, throw an error. If the
    /// task is cancelled, the call ends before the next batch.
    ///
    /// It queries only the store, as ``fetchPage(_:after:)`` does.
    ///
    /// - Throws: The errors of ``fetch(_:)``; `FetchError.invalidRequest` for a size below one; the error of
    ///   `body`; `CancellationError`.
    public func forEachBatch<Object: ManagedObject>(
        of request: FetchRequest<Object>, size: Int = 1_000, _ body: ([Object]) throws -> Void
    ) throws {
        try throwFailure()
        guard size > 0 else { throw FetchError.emptyBatch(size) }
        let layout = try layout(for: request)
        if let error = request.predicate?.error { throw error }
        for path in request.relationshipKeyPathsForPrefetching {
            try Prefetch(self).check(path, from: layout)
        }
        try check(request.rowLock)
        do {
            let fetch = try RenderedFetch(request, layout: layout, layouts: layouts)
            let selection = try filledSelection(for: request, of: layout)
            let statement = FetchStatement(
                fetch, selection: selection, limit: request.fetchLimit, offset: request.fetchOffset,
                lock: request.rowLock, comment: request.comment)
            try withConnection { connection in
                let cursor = try BatchCursor(statement, on: connection)
                defer { cursor.close() }
                var isAtEnd = false
                while !isAtEnd {
                    // Asks for nothing, but ends a cancelled unit of work.
                    if let unit { _ = try unit.lease() }
                    let objects = try batch(of: request, layout, selection, cursor, size)
                    isAtEnd = objects.count < size
                    if objects.isEmpty { break }
                    try body(visible(objects, of: layout))
                    try throwFailure()
                }
            }
        } catch {
            throw store.readError(error, of: layout, patterns: request.patterns, search: request.search)
        }
    }

    private func batch<Object: ManagedObject>(
        of request: FetchRequest<Object>, _ layout: EntityLayout, _ selection: SelectList,
        _ cursor: BatchCursor, _ size: Int
    ) throws -> [ManagedObject] {
        var registration = Registration(
            self, selection, of: layout,
            refills: request.shouldRefreshRefetchedObjects || request.rowLock != nil)
        let objects = try registration.register(cursor.next(size))
        registration.makeCohort(for: request)
        registration.awaken()
        for path in request.relationshipKeyPathsForPrefetching {
            try Prefetch(self, comment: request.comment).follow(path, from: objects)
        }
        return objects
    }
}
