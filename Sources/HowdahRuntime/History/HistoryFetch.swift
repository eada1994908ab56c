import HowdahModel
import PQClient

/// Runs one request for history on a connection.
struct HistoryFetch {
    private let request: HistoryRequest
    private let reader: HistoryReader
    private var assembly: HistoryAssembly
    private var result: HistoryResult
    private var seen: Set<ObjectID<ManagedObject>> = []
    private var remaining: Int

    init(_ request: HistoryRequest, _ conditions: HistoryConditions, in store: Store) {
        self.request = request
        var conditions = conditions
        if case .date(let date) = request.start { conditions.after = date }
        reader = HistoryReader(store, conditions)
        assembly = HistoryAssembly(store, conditions)
        result = HistoryResult(resultType: request.resultType)
        remaining = request.limit ?? .max
    }

    mutating func run(on connection: Connection) throws -> HistoryResult {
        var token: HistoryToken
        switch request.start {
        case .token(let start): token = start
        case .beginning, .date: token = try reader.firstToken(on: connection)
        }
        var kept: HistoryEdge?
        var isFlushed = false
        // A window that was begun earlier ends where it ended then. Changes since then are in the next one.
        var isEarlierWindow = token.page != nil
        while true {
            let reading = try reader.read(after: token, keeping: kept, on: connection)
            result.isAfterFailover = result.isAfterFailover || reading.isRewound
            token = reading.token
            for transaction in assembly.transactions(reading) {
                guard remaining > 0 else { return finished(token) }
                add(transaction)
                token = transaction.token
                if !transaction.isPartial { remaining -= 1 }
            }
            guard remaining > 0 else { return finished(token) }
            token = reading.token
            guard reading.isComplete else { continue }
            if isEarlierWindow {
                isEarlierWindow = false
                continue
            }
            // Under load each edge is new. The first one that was flushed is the end.
            guard let edge = reading.kept, !isFlushed else { return finished(token) }
            isFlushed = try reader.flush(edge, on: connection)
            kept = isFlushed ? edge.flushed : nil
        }
    }

    private func finished(_ token: HistoryToken) -> HistoryResult {
        var result = result
        if case .date = request.start { return result }
        result.token = token
        return result
    }

    private mutating func add(_ transaction: HistoryTransaction) {
        result.count += transaction.changes.count
        result.changesEverything = result.changesEverything || transaction.changesEverything
        switch request.resultType {
        case .count: break
        case .objectIDs:
            for change in transaction.changes where seen.insert(change.changedObjectID).inserted {
                result.objectIDs.append(change.changedObjectID)
            }
        case .changesOnly: result.changes += transaction.changes
        case .transactionsOnly, .transactionsAndChanges:
            var transaction = transaction
            if request.resultType == .transactionsOnly { transaction.changes = [] }
            if let last = result.transactions.last,
                last.transactionNumber == transaction.transactionNumber
            {
                // One that was read in several pages is one all the same.
                transaction.changes = last.changes + transaction.changes
                result.transactions.removeLast()
            }
            result.transactions.append(transaction)
        }
    }
}
