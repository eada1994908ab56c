public import HowdahModel
import PQClient

extension PersistentContainer {
    /// Returns a token of everything that is committed now.
    ///
    /// To begin with history, take a token, then read the objects, then read the history after the token.
    ///
    /// Source: Core Data's `currentPersistentHistoryToken(fromStores:)`.
    ///
    /// - Throws: ``HistoryError`` with `noHistory` or `database`; the errors of `perform` if it could not
    ///   begin.
    nonisolated(nonsending)
        public func currentHistoryToken() async throws -> HistoryToken
    {
        try await perform { try $0.currentHistoryToken() }
    }

    /// Returns the changes after a token, as an asynchronous sequence that ends when the container is closed.
    ///
    /// The sequence reads as you ask for batches, so a slow loop costs nothing. Each batch has the token that
    /// comes after it. Keep it after the effects of the batch. If the process ends before that, a loop from
    /// the kept token gets the batch again. It misses none.
    ///
    /// The loop looks for new changes every ``StoreOptions/changePolling``, and at once after a save of this
    /// container. After half a minute without changes it looks less often. If the connection is lost, it
    /// tries again.
    ///
    /// The store may remove changes that are older than its retention and that no registered consumer holds.
    /// Use ``historyConsumer(_:after:)`` for a program that must not miss any, however long it rests.
    ///
    /// - Parameters:
    ///   - token: The token; nil for everything from now on.
    ///   - types: The classes of the entities whose changes are delivered, subclasses included; nil for all.
    ///   - filter: More conditions on the changes.
    /// - Returns: The sequence. Its loop throws ``HistoryError`` with `tokenExpired`, `otherStore`,
    ///   `noHistory` or `database`, `FetchError` for a filter that does not fit the model, and
    ///   `CancellationError`.
    public func changes(
        after token: HistoryToken?, of types: [ManagedObject.Type]? = nil, where filter: HistoryFilter? = nil
    ) -> HistoryChanges {
        HistoryChanges(
            container: self, start: token.map(HistoryChanges.Start.token) ?? .now,
            filter: HistoryFilter.joining(filter, types))
    }

    /// Returns a registered consumer of the history, and registers it if there is none of the name.
    ///
    /// The store keeps every change until all registered consumers have acknowledged it. So remove a consumer
    /// that is not used any more, with ``removeHistoryConsumer(_:)`` or `howdah history forget`.
    ///
    /// - Parameters:
    ///   - name: The name, which several processes may share to take turns.
    ///   - token: The token after which a new consumer begins; nil for now. A consumer that exists keeps its
    ///   own place. Only if that has expired, as after `howdah history reset`, it begins again after `token`;
    ///   with nil, its ``HistoryConsumer/changes(of:where:)`` throws `tokenExpired`.
    /// - Throws: ``HistoryError`` with `noHistory`, `tokenExpired`, `otherStore` or `database`, or
    ///   `invalidRequest` for a name that is empty, longer than 200 bytes, or has U+0000 in it.
    nonisolated(nonsending)
        public func historyConsumer(_ name: String, after token: HistoryToken? = nil) async throws
        -> HistoryConsumer
    {
        guard !name.isEmpty, name.utf8.count <= 200, !name.utf8.contains(0) else {
            throw HistoryError(
                .invalidRequest,
                "The name of a history consumer is empty, too long, or has U+0000 in it. Give it a name of 1 to "
                    + "200 bytes without that character.")
        }
        try await perform { context in
            try context.withHistory { connection in
                let consumers = HistoryConsumers(context.store)
                let reader = HistoryReader(context.store, try HistoryConditions(nil, in: context.store))
                if let stored = try consumers.token(of: name, on: connection) {
                    guard let token, try reader.isExpired(stored, on: connection) else { return }
                    // Before the stored token goes, so that the consumer does not vanish without an error.
                    try reader.check(token, on: connection)
                    if try consumers.register(name, at: token, insteadOf: stored, on: connection) {
                        // A purge may have come first. The consumer stays then, and reports it again.
                        try reader.check(token, on: connection)
                    }
                    return
                }
                while true {
                    let start = try token ?? reader.currentToken(on: connection)
                    guard try consumers.register(name, at: start, on: connection) else { return }
                    do {
                        // Judged after the registration, which later removals of history respect.
                        _ = try reader.read(after: start, on: connection)
                        return
                    } catch {
                        try? consumers.remove(name, at: start, on: connection)
                        guard token == nil, (error as? HistoryError)?.code == .tokenExpired else {
                            throw error
                        }
                    }
                }
            }
        }
        return HistoryConsumer(name: name, container: self)
    }

    /// Removes a registered consumer, so that the store no longer keeps changes for it.
    ///
    /// - Returns: False if there is none of the name.
    /// - Throws: ``HistoryError`` with `noHistory` or `database`.
    @discardableResult
    nonisolated(nonsending)
        public func removeHistoryConsumer(_ name: String) async throws -> Bool
    {
        try await perform { context in
            try context.withHistory { try HistoryConsumers(context.store).remove(name, on: $0) }
        }
    }
}

extension HistoryFilter {
    /// Returns a filter with classes in addition.
    static func joining(_ filter: HistoryFilter?, _ types: [ManagedObject.Type]?) -> HistoryFilter? {
        guard let types else { return filter }
        var filter = filter ?? HistoryFilter()
        filter.classes = (filter.classes ?? []) + types
        return filter
    }
}
