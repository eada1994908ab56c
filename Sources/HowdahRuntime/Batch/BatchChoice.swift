import HowdahModel
import PQClient

/// The choice of rows for a batch update or deletion with a limit: the first ones in the order of the request.
///
/// The rows are locked in that order, so that two sessions with the same order never lose a deadlock. The
/// server passes over rows that no longer match when it has waited for them. It continues until it has locked
/// as many as the limit permits.
struct BatchChoice {
    private let fetch: RenderedFetch
    private let limit: Int
    private let skipsLocked: Bool

    /// Creates the choice; nil if the request means all matching rows, and waits for them.
    ///
    /// - Parameter name: The kind of batch, for messages.
    /// - Throws: `FetchError.invalidRequest` for an offset, or for a lock that does not skip rows.
    init?<Object>(
        _ request: FetchRequest<Object>, _ name: String, layout: EntityLayout, layouts: [EntityLayout]
    ) throws {
        guard request.fetchOffset == 0 else {
            throw FetchError(
                .invalidRequest,
                "A batch \(name) accepts no offset. Fetch the ids with the offset, and select them with the "
                    + "predicate SELF IN %@.")
        }
        if let lock = request.rowLock, lock.waiting != .skips {
            throw FetchError(
                .invalidRequest,
                "A batch \(name) accepts only the rowLock .update.skippingLocked, which leaves out locked "
                    + "rows. Without a rowLock it waits for them. Remove the rowLock, or fetch the ids with it "
                    + "in the same transaction and select them with the predicate SELF IN %@.")
        }
        guard request.fetchLimit > 0 || request.rowLock != nil else { return nil }
        fetch = try RenderedFetch(request, layout: layout, layouts: layouts)
        limit = request.fetchLimit
        skipsLocked = request.rowLock != nil
    }

    /// Returns the statement that locks the rows and returns their keys.
    func statement(locking lock: String) -> SaveStatement {
        var parameters = fetch.parameters
        var sql =
            "SELECT \(fetch.layout.table.key(fetch.scope.alias))\(fetch.scope.from)\(fetch.condition) ORDER BY "
            + fetch.order.joined(separator: ", ")
        if limit > 0 {
            parameters.append(Int64(limit))
            sql += " LIMIT $\(parameters.count)"
        }
        sql += " \(lock) OF \(fetch.scope.alias)\(skipsLocked ? " SKIP LOCKED" : "")"
        return SaveStatement(sql, parameters, about: .init(.select, fetch.layout.table.subject))
    }
}
