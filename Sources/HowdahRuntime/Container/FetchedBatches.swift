public import HowdahModel

/// The result of a request as an asynchronous sequence of batches of plain values.
///
/// Made by `PersistentContainer.batches(of:size:_:)`.
public struct FetchedBatches<Object: ManagedObject, Element: Sendable>: AsyncSequence, Sendable {
    let container: PersistentContainer
    let request: FetchRequest<Object>
    let transform: @Sendable (Object) throws -> Element

    /// Asks for the first batch when ``Iterator/next()`` is called.
    public func makeAsyncIterator() -> Iterator { Iterator(batches: self) }

    /// Where a loop over the batches is.
    public struct Iterator: AsyncIteratorProtocol {
        let batches: FetchedBatches
        private var cursor: PageCursor?
        private var isAtEnd = false

        init(batches: FetchedBatches) { self.batches = batches }

        /// The next batch; nil at the end. One unit of work.
        public mutating func next() async throws -> [Element]? {
            if isAtEnd { return nil }
            guard batches.request.fetchLimit > 0 else {
                throw FetchError.emptyBatch(batches.request.fetchLimit)
            }
            let (request, transform, place) = (batches.request, batches.transform, cursor)
            let (values, next) = try await batches.container.perform { context in
                let page = try context.fetchPage(request, after: place)
                return (try page.objects.map(transform), page.next)
            }
            (cursor, isAtEnd) = (next, next == nil)
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
    /// The request's limit is not looked at. The loop throws as ``ManagedObjectContext/fetchPage(_:after:)`` does, and
    /// `FetchError.invalidRequest` for a size below one.
    public func batches<Object: ManagedObject, Element: Sendable>(
        of request: FetchRequest<Object> = FetchRequest(), size: Int = 1_000,
        _ transform: @escaping @Sendable (Object) throws -> Element
    ) -> FetchedBatches<Object, Element> {
        var request = request
        request.fetchLimit = size
        return FetchedBatches(container: self, request: request, transform: transform)
    }
}
