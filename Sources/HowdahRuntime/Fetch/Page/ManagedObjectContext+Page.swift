public import HowdahModel

extension ManagedObjectContext {
    /// Returns the next `fetchLimit` objects of a request after a cursor, and the cursor for the next page.
    ///
    /// Pass nil for the first page. The call sends one statement, and one per prefetched step. Every page
    /// costs the same if an index has the order and the first sort key is ascending or not optional.
    ///
    /// All pages together are the whole result. Objects that were inserted, deleted or moved in between may
    /// be in it or not. No other object is left out or returned twice.
    ///
    /// The call queries only the store. Of the unsaved changes, only deletions count, and objects that the
    /// context knows keep their values.
    ///
    /// - Throws: The errors of ``fetch(_:)``; `FetchError.invalidCursor` for a text that is not a cursor of
    ///   this entity and order.
    public func fetchPage<Object: ManagedObject>(
        _ request: FetchRequest<Object>, after cursor: PageCursor? = nil
    ) throws -> FetchedPage<Object> {
        try PageFetch(context: self).run(request, after: cursor)
    }
}
