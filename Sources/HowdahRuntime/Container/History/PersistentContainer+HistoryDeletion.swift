public import Foundation
public import HowdahModel
import PQClient

extension PersistentContainer {
    /// Deletes the history before a token: all changes that a reader at the token has seen.
    ///
    /// They are hidden at once, and truncated when no younger change is stored with them.
    ///
    /// Source: Core Data's `deleteHistory(before:)`.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - physically: Indicates whether the rows are deleted one by one, for example to remove preserved
    ///   values. It costs about 10 s for a million rows.
    /// - Throws: ``HistoryError`` with `heldByConsumer` if a registered consumer has not read all of them,
    ///   `noHistory`, `tokenExpired`, `otherStore` or `database`.
    nonisolated(nonsending)
        public func deleteHistory(before token: HistoryToken, physically: Bool = false) async throws
    {
        try await delete(.token(token), physically)
    }

    /// Deletes the history before a transaction, without the transaction.
    ///
    /// Changes that were committed at about the same time may be kept. See
    /// ``deleteHistory(before:physically:)``.
    ///
    /// Source: Core Data's `deleteHistory(before:)` with a transaction.
    ///
    /// - Throws: The errors of ``deleteHistory(before:physically:)`` with a token.
    nonisolated(nonsending)
        public func deleteHistory(before transaction: HistoryTransaction, physically: Bool = false)
        async throws
    {
        try await delete(.transaction(transaction), physically)
    }

    /// Deletes the history that was stored before a date, by the server's clock.
    ///
    /// Changes that were committed at about the same time may be kept. See
    /// ``deleteHistory(before:physically:)``.
    ///
    /// Source: Core Data's `deleteHistory(before:)` with a date.
    ///
    /// - Throws: The errors of ``deleteHistory(before:physically:)`` with a token.
    nonisolated(nonsending)
        public func deleteHistory(before date: Date, physically: Bool = false) async throws
    {
        try await delete(.date(date), physically)
    }

    /// Erases the preserved values of deleted objects from the history, for example of a person.
    ///
    /// Consumers still get the deletions, without a ``HistoryChange/tombstone``. The server removes the
    /// former rows with its next vacuum. Backups and the log of the server keep them as long as you keep
    /// these.
    ///
    /// - Parameter ids: The deleted objects.
    /// - Returns: The number of rows of the history that had values of these objects.
    /// - Throws: ``HistoryError`` with `noHistory` or `database`; `FetchError` with `foreignID` for ids of
    ///   another store.
    @discardableResult
    nonisolated(nonsending)
        public func eraseTombstones<Object>(of ids: [ObjectID<Object>]) async throws -> Int
    {
        let keys = Dictionary(grouping: ids, by: \.entityName).mapValues { $0.map(\.key) }
        for id in ids where id.storeIdentifier != store.identifier {
            throw FetchError(
                .foreignID, "An object to erase is of another store. Pass ids of objects of this store.",
                objectURI: id.uriRepresentation.absoluteString)
        }
        return try await perform { context in
            try context.withHistory { connection in
                let erasure = HistoryErasure(context.store)
                return try keys.reduce(0) { try $0 + erasure.erase($1.value, of: $1.key, on: connection) }
            }
        }
    }

    nonisolated(nonsending)
        private func delete(_ limit: HistoryErasure.Limit, _ physically: Bool) async throws
    {
        let seen = try await perform { context in
            try context.withHistory { try HistoryErasure(context.store).snapshot(limit, on: $0) }
        }
        // Each step is a transaction, so that none is long.
        while try await perform({ context in
            try context.withHistory { connection in
                try HistoryErasure(context.store).delete(seen, physically, on: connection) > 0
            }
        }) {}
    }
}
