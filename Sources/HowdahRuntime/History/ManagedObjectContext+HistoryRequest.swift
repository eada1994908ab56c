public import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Runs a request for a part of the history, and returns its result.
    ///
    /// It is one round trip if nothing was stored on the server since the token. Otherwise it is one more for up to
    /// 1,000 rows of history, and one for each further page. The result ends with the changes that are committed
    /// now and flushed to the server's log.
    ///
    /// Source: Core Data's `execute(_:)` with an `NSPersistentHistoryChangeRequest`.
    ///
    /// - Throws: ``HistoryError`` with one of these codes; `FetchError` with `unknownEntity`,
    ///   `invalidRequest` or `foreignID` for a filter that does not fit the model.
    ///   - `noHistory`: The store has no history.
    ///   - `tokenExpired`: Not all of the changes after the token are kept.
    ///   - `otherStore`: The token is of another store.
    ///   - `invalidRequest`: The context is a child, or the unit of work is a transaction, whose snapshot or
    ///   locks would hold the history. Use `perform` without isolation.
    ///   - `database`: The server refused a statement, or it is a standby.
    public func execute(_ request: HistoryRequest) throws -> HistoryResult {
        try throwFailures()
        if let refusal = backing.refusal { throw HistoryError(.invalidRequest, refusal.message) }
        guard unit?.isTransaction != true else {
            throw HistoryError(
                .invalidRequest,
                "History is read outside of transactions. Use perform without isolation.")
        }
        if let limit = request.limit, limit < 1 {
            throw HistoryError(
                .invalidRequest, "The limit of the history is \(limit). Set it to 1 or more, or to nil.")
        }
        let conditions = try HistoryConditions(request.filter, in: store)
        var fetch = HistoryFetch(request, conditions, in: store)
        return try withHistory { try fetch.run(on: $0) }
    }

    /// Returns a token of everything that is committed now.
    ///
    /// It is one round trip, and two if the server has not flushed its log. In a transaction of
    /// `perform(isolation: .repeatableRead)` the token is that of the transaction's snapshot. The history
    /// after it begins exactly at the end of the fetched objects. There it may wait a second for the log.
    ///
    /// Source: Core Data's `currentPersistentHistoryToken(fromStores:)`.
    ///
    /// - Throws: ``HistoryError`` with `noHistory` or `database`.
    public func currentHistoryToken() throws -> HistoryToken {
        try throwFailures()
        let reader = HistoryReader(store, try HistoryConditions(nil, in: store))
        return try root.withHistory { try reader.currentToken(on: $0) }
    }

    /// Runs `body` with the connection, as `withConnection`, and throws a history error also if there is none.
    func withHistory<T>(_ body: (Connection) throws -> T) throws -> T {
        try HistoryError.explaining { try withConnection(body) }
    }

    /// Merges changes of other programs into this context, as `mergeChanges(from:)` does with a notice.
    ///
    /// If they have more than 10,000 objects, or concern all, all objects of the context are read again on
    /// their next access.
    ///
    /// Source: Core Data's `mergeChanges(fromContextDidSave:)` with `objectIDNotification()`.
    ///
    /// - Throws: The errors of `mergeChanges(from:)`.
    public func mergeChanges(from transactions: [HistoryTransaction]) throws {
        var notice = SaveNotice()
        var isWhole = false
        for transaction in transactions {
            isWhole = isWhole || transaction.changesEverything || notice.count > MergeInbox.capacity
            if isWhole { return try mergeEverything() }
            notice.add(transaction)
        }
        try mergeChanges(from: notice)
    }
}

extension SaveNotice {
    /// Creates a notice of the changes of a history transaction.
    ///
    /// If the transaction ``HistoryTransaction/changesEverything``, the notice cannot say so: read all
    /// objects again.
    public init(_ transaction: HistoryTransaction) {
        self.init()
        add(transaction)
    }

    mutating func add(_ transaction: HistoryTransaction) {
        for change in transaction.changes {
            switch change.changeType {
            case .insert: insertedObjectIDs.append(change.changedObjectID)
            case .update: updatedObjectIDs.append(change.changedObjectID)
            case .delete: deletedObjectIDs.append(change.changedObjectID)
            }
        }
    }
}
