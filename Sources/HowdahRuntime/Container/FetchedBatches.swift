public import HowdahModel

/// The result of a request as an asynchronous sequence of batches of plain values.
///
/// `PersistentContainer.batches(of:size:_:)` creates it.
public struct FetchedBatches<Object: ManagedObject, Element: Sendable>: AsyncSequence, Sendable {
    let container: PersistentContainer
    /// The request with the size of a batch instead of the limit.
    let request: FetchRequest<Object>
    /// The maximum number of objects; 0 means all.
    let limit: Int
    let transform: @Sendable (Object) throws -> Element

    /// Creates an iterator, which fetches the first batch in ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator { Iterator(batches: self) }

    /// The position of a loop over the batches.
    public struct Iterator: AsyncIteratorProtocol {
        let batches: FetchedBatches
        private var cursor: PageCursor?
        private var count = 0
        private var isAtEnd = false

        init(batches: FetchedBatches) { self.batches = batches }

        /// Returns the next batch; nil at the end. It is one unit of work.
        public mutating func next() async throws -> [Element]? {
            if isAtEnd { return nil }
            guard batches.request.fetchLimit > 0 else {
                throw FetchError.emptyBatch(batches.request.fetchLimit)
            }
            guard batches.limit >= 0 else {
                throw FetchError(
                    .invalidRequest, "fetchLimit is negative. Set it to 0 for no limit, or to more.")
            }
            var asked = batches.request
            if batches.limit > 0 { asked.fetchLimit = Swift.min(asked.fetchLimit, batches.limit - count) }
            let (request, transform, place) = (asked, batches.transform, cursor)
            let (values, next) = try await batches.container.perform { context in
                let page = try context.fetchPage(request, after: place)
                return (try page.objects.map(transform), page.next)
            }
            count += values.count
            (cursor, isAtEnd) = (next, next == nil || count == batches.limit)
            return values.isEmpty && isAtEnd ? nil : values
        }
    }
}

extension PersistentContainer {
    /// Returns the results of `transform` for the objects of a request, as an asynchronous sequence of
    /// batches.
    ///
    /// Between batches it holds no connection, no transaction and no object, so a loop may take its time, end
    /// early or be cancelled. Each batch is a page, see ``ManagedObjectContext/fetchPage(_:after:)``, and
    /// shows the moment of its fetch. Give the request an order that an index has, or none. If all batches
    /// must show one moment, or no index has the order, use
    /// ``ManagedObjectContext/forEachBatch(of:size:_:)``.
    ///
    /// The request's limit is that of all batches together. The loop throws as
    /// ``ManagedObjectContext/fetchPage(_:after:)`` does, and `FetchError.invalidRequest` for a size below
    /// one or an offset.
    public func batches<Object: ManagedObject, Element: Sendable>(
        of request: FetchRequest<Object> = FetchRequest(), size: Int = 1_000,
        _ transform: @escaping @Sendable (Object) throws -> Element
    ) -> FetchedBatches<Object, Element> {
        var paged = request
        paged.fetchLimit = size
        return FetchedBatches(
            container: self, request: paged, limit: request.fetchLimit, transform: transform)
    }
}
