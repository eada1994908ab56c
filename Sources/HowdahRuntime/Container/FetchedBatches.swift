public import HowdahModel

/// The result of a request as an asynchronous sequence of batches of plain values.
///
/// Made by `PersistentContainer.batches(of:size:_:)`.
public struct FetchedBatches<Object: ManagedObject, Element: Sendable>: AsyncSequence, Sendable {
    let container: PersistentContainer
    /// With the size of a batch in place of the limit.
    let request: FetchRequest<Object>
    /// How many objects at most; 0 means all.
    let limit: Int
    let transform: @Sendable (Object) throws -> Element

    /// Asks for the first batch when ``Iterator/next()`` is called.
    public func makeAsyncIterator() -> Iterator { Iterator(batches: self) }

    /// Where a loop over the batches is.
    public struct Iterator: AsyncIteratorProtocol {
        let batches: FetchedBatches
        private var cursor: PageCursor?
        private var count = 0
        private var isAtEnd = false

        init(batches: FetchedBatches) { self.batches = batches }

        /// The next batch; nil at the end. One unit of work.
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
    /// What `transform` makes of each object of a request, as an asynchronous sequence of batches.
    ///
    /// Between batches nothing is held: no connection, no transaction and no object, so that a loop may take its time, be
    /// left or be cancelled. Each batch is a page, see ``ManagedObjectContext/fetchPage(_:after:)``, and has the state of its
    /// moment. Give the request an order that an index has, or none; where one moment for all batches matters, or no index
    /// has the order, use ``ManagedObjectContext/forEachBatch(of:size:_:)``.
    ///
    /// The request's limit is that of all batches together. The loop throws as ``ManagedObjectContext/fetchPage(_:after:)`` does, and
    /// `FetchError.invalidRequest` for a size below one or an offset.
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
