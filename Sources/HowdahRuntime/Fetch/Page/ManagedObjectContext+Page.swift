public import HowdahModel

extension ManagedObjectContext {
    /// The next `fetchLimit` objects of a request behind a cursor, and the cursor to go on with; nil begins.
    ///
    /// One statement, and one per prefetched step. A page costs the same wherever it begins where an index has the order
    /// and the first sort key, if descending, is not optional. Pages put together are the whole result; objects that were
    /// inserted, deleted or moved meanwhile are in it or not, and no other is left out or comes twice.
    ///
    /// Asks the store alone: unsaved changes neither add nor remove objects, apart from deleted ones, and objects that the
    /// context knows keep their values.
    ///
    /// - Throws: as ``fetch(_:)``; `FetchError.invalidCursor` for a text that is no cursor of this entity and order.
    public func fetchPage<Object: ManagedObject>(
        _ request: FetchRequest<Object>, after cursor: PageCursor? = nil
    ) throws -> FetchedPage<Object> {
        try PageFetch(context: self).run(request, after: cursor)
    }
}
