import HowdahModel

/// Fetches a page as objects, from the backing only.
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
        do {
            let (objects, next) = try context.backing.page(
                request, after: cursor?.text, of: layout, in: context)
            for path in request.relationshipKeyPathsForPrefetching {
                try Prefetch(context, comment: request.comment).follow(path, from: objects)
            }
            return FetchedPage(
                objects: context.visible(objects, of: layout), next: next.map(PageCursor.init))
        } catch {
            throw context.store.readError(
                error, of: layout, patterns: request.patterns, search: request.search)
        }
    }

    /// Returns the entity of a request that can be fetched by pages.
    func checkedLayout<Object: ManagedObject>(for request: FetchRequest<Object>) throws -> EntityLayout {
        guard request.fetchLimit > 0, request.fetchLimit < Int32.max, request.fetchOffset == 0 else {
            throw FetchError(
                .invalidRequest,
                request.fetchOffset == 0
                    ? "The fetchLimit of a page is \(request.fetchLimit). Set fetchLimit to the number of objects in a page."
                    : "The request of a page has a fetchOffset. Set fetchOffset to 0, and pass a cursor instead."
            )
        }
        guard request.rowLock == nil else {
            throw FetchError(
                .invalidRequest, "Pages cannot lock rows. Fetch the objects to lock with a separate request.")
        }
        if let error = request.predicate?.error { throw error }
        return try context.layout(for: request)
    }
}
