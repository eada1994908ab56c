public import HowdahModel

/// A result that follows the store, with values of its objects.
///
/// ``FetchedResults/values(of:)`` creates it.
public struct FetchedResultsValues<Object: ManagedObject>: AsyncSequence, Sendable {
    /// An update of the result, with the values of the objects that it brings.
    public struct Element: Sendable {
        /// The update.
        public let update: FetchedResultsUpdate<Object>
        /// The values by the objects' ids and the names of the columns; nil values are left out.
        ///
        /// They are of all objects of a snapshot, and of those that a difference inserts, moves or updates. Objects that
        /// were deleted since the update are missing.
        public let values: [ObjectID<Object>: [String: any Sendable]]
    }

    let results: FetchedResults<Object>
    let columns: [ResultColumn<Object>]

    /// Creates an iterator, which fetches in its first ``Iterator/next()``.
    public func makeAsyncIterator() -> Iterator {
        var results = results
        results.values = columns.map(\.keyPath)
        return Iterator(results, columns)
    }

    /// The position of a loop over the updates.
    public struct Iterator: AsyncIteratorProtocol {
        private let results: FetchedResults<Object>
        private let columns: [ResultColumn<Object>]
        private var base: FetchedResults<Object>.Iterator
        /// The update whose values could not be read yet.
        private var pending: FetchedResultsUpdate<Object>?

        fileprivate init(_ results: FetchedResults<Object>, _ columns: [ResultColumn<Object>]) {
            self.results = results
            self.columns = columns
            base = results.makeAsyncIterator()
        }

        /// Waits for the next update and returns it; nil if the container was closed.
        ///
        /// - Throws: The errors of ``FetchedResults/Iterator/next()``, and of a fetch of dictionaries.
        public mutating func next() async throws -> Element? { try await next(isolation: nil) }

        /// Waits for the next update as ``next()`` does, without leaving the caller's actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            try Self.check(columns)
            if pending == nil { pending = try await base.next(isolation: actor) }
            guard let update = pending else { return nil }
            var pauses = HistoryPauses(polling: .milliseconds(100))
            while true {
                do {
                    let (request, columns) = (results.request, columns)
                    let values = try await results.container.perform { context in
                        try context.values(of: columns, request, update.presentObjectIDs)
                    }
                    pending = nil
                    return Element(update: update, values: values)
                } catch let error as StoreError where error.code == .closed {
                    return nil
                } catch {
                    try pauses.fail(error)
                }
                try await Task.sleep(
                    for: pauses.next(isUnflushed: false, isAtEnd: true) ?? .milliseconds(50))
            }
        }

        private static func check(_ columns: [ResultColumn<Object>]) throws {
            guard let column = columns.first(where: { $0.aggregate != nil }) else { return }
            throw FetchError(
                .invalidRequest,
                "A followed result has the values of its objects, and '\(column.name)' is of several. Name a property."
            )
        }
    }
}

extension FetchedResults {
    /// Returns the same result, with values of the objects that each update brings.
    ///
    /// ```swift
    /// for try await element in results.values(of: "firstName", "department.name") {
    ///     send(element.update, element.values)
    /// }
    /// ```
    /// A change of a value is an update of its object. The values are read by one statement for each update, when you
    /// ask for it, so they may be newer than the update. They have the types of
    /// ``ManagedObjectContext/fetchDictionaries(_:)``.
    ///
    /// - Parameter columns: The properties, and ends of key paths over to-one relationships.
    public func values(of columns: ResultColumn<Object>...) -> FetchedResultsValues<Object> {
        FetchedResultsValues(results: self, columns: columns)
    }
}

extension ManagedObjectContext {
    /// Returns values of objects of a request's entity, in one statement.
    fileprivate func values<Object: ManagedObject>(
        of columns: [ResultColumn<Object>], _ request: FetchRequest<Object>, _ ids: [ObjectID<Object>]
    ) throws -> [ObjectID<Object>: [String: any Sendable]] {
        // A name that no column has.
        let key = "objectID" + String(repeating: "_", count: (columns.map(\.name.count).max() ?? 0) + 1)
        // Without objects too, so that a wrong column is an error of the first update.
        var request = self.request(for: ids, of: try layout(for: request).name)
        request.propertiesToFetch =
            [ResultColumn<ManagedObject>(ResultColumn<ManagedObject>.objectIDKey, as: key)]
            + columns.map {
                ResultColumn<ManagedObject>($0.keyPath, as: $0.name, complaint: $0.complaint)
            }
        var values: [ObjectID<Object>: [String: any Sendable]] = [:]
        for var row in try fetchDictionaries(request) {
            guard let id = row.removeValue(forKey: key) as? ObjectID<ManagedObject> else { continue }
            values[id.typed()] = row
        }
        return values
    }
}
