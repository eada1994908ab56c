public import Foundation
public import HowdahModel

/// A request for a part of the history of a store; ``ManagedObjectContext/execute(_:)-(HistoryRequest)`` runs
/// it.
///
/// Source: Core Data's `NSPersistentHistoryChangeRequest`.
public struct HistoryRequest: Sendable {
    /// The place after which the changes are read.
    enum Start: Sendable {
        case beginning
        case token(HistoryToken)
        case date(Date)
    }

    let start: Start
    /// The conditions on the history; nil for all of it.
    public var filter: HistoryFilter?
    /// The parts of the history to return.
    public var resultType: HistoryResultType
    /// The maximum number of history transactions; nil for no limit. The result's token continues after the
    /// last one.
    public var limit: Int?

    /// Returns a request for the history after a token.
    ///
    /// Source: Core Data's `fetchHistory(after:)`.
    ///
    /// - Parameters:
    ///   - token: The token; nil for everything that the store has.
    ///   - filter: The conditions on the history.
    ///   - resultType: The parts of the history to return.
    ///   - limit: The maximum number of history transactions.
    public static func fetch(
        after token: HistoryToken?, where filter: HistoryFilter? = nil,
        resultType: HistoryResultType = .transactionsAndChanges, limit: Int? = nil
    ) -> HistoryRequest {
        HistoryRequest(
            start: token.map(Start.token) ?? .beginning, filter: filter, resultType: resultType, limit: limit)
    }

    /// Returns a request for the history after a transaction.
    ///
    /// Source: Core Data's `fetchHistory(after:)` with a transaction.
    public static func fetch(
        after transaction: HistoryTransaction, where filter: HistoryFilter? = nil,
        resultType: HistoryResultType = .transactionsAndChanges, limit: Int? = nil
    ) -> HistoryRequest {
        fetch(after: transaction.token, where: filter, resultType: resultType, limit: limit)
    }

    /// Returns a request for the changes that were stored after a date, for people to read.
    ///
    /// The result has no token. A transaction that stored its changes before the date and committed after it
    /// is left out, also after the tokens of the result's transactions. Use tokens from the beginning if you must
    /// not miss a change.
    ///
    /// Source: Core Data's `fetchHistory(after:)` with a date.
    public static func fetch(
        after date: Date, where filter: HistoryFilter? = nil,
        resultType: HistoryResultType = .transactionsAndChanges, limit: Int? = nil
    ) -> HistoryRequest {
        HistoryRequest(start: .date(date), filter: filter, resultType: resultType, limit: limit)
    }
}
