import PQClient

/// The statement of a batch update or deletion, which finds its rows by a condition, or by keys that are locked.
struct BatchStatement {
    private var fetch: RenderedFetch
    /// The statement that chooses and locks the rows of a request with a limit or a lock; nil for all matching
    /// rows.
    private(set) var choice: SaveStatement?
    /// The statement up to its condition.
    private let head: String
    /// The statement after its condition.
    private let returning: String
    /// The comment after each statement of the request, which names the call site.
    let comment: String
    /// The lock that the statement takes on its rows.
    private let lock: String
    /// The history of the rows; nil if the store has none.
    let trace: BatchTrace?
    /// The keys of the rows, if these are locked and match; nil if the statement finds them itself.
    private(set) var keys: [Int64]?
    /// The statements that clear references to the rows, in the round trip of this one.
    var clearing: ReferenceClearing?

    /// - Parameters:
    ///   - head: The statement up to its condition.
    ///   - returnsRows: Indicates whether it returns the keys of its rows, and their entities if these
    ///     differ.
    ///   - choice: The choice of some of the matching rows.
    ///   - trace: The history of the rows, which needs their keys.
    ///   - returnsCleared: Indicates whether the rows with these references are returned too.
    init(
        _ head: String, locking lock: String, _ fetch: RenderedFetch, choice: BatchChoice? = nil,
        returnsRows: Bool, trace: BatchTrace? = nil, comment: String
    ) {
        self.fetch = fetch
        self.choice = choice?.statement(locking: lock)
        self.head = head
        self.lock = lock
        self.trace = trace
        self.comment = comment
        let traced = trace.map { " RETURNING \($0.columns(fetch.scope.alias))" }
        returning = traced ?? (returnsRows ? fetch.returning : "")
    }

    /// The number of rows beyond which their keys are not named.
    static let mostNamed = 50_000

    /// The operation and the table, for observers; an update takes a weaker lock than a deletion.
    private var subject: StatementSubject {
        StatementSubject(
            trace.map { $0.kind == .update } ?? (lock == "FOR NO KEY UPDATE") ? .update : .delete,
            fetch.layout.table.subject)
    }

    /// The subject of the statements that find and lock the rows.
    private var selection: StatementSubject {
        StatementSubject(.select, fetch.layout.table.subject)
    }

    /// The entity of the rows.
    var layout: EntityLayout { fetch.layout }

    /// The statement with its condition, or for its named rows.
    var whole: SaveStatement { keys.map(changing) ?? statement(fetch.condition, fetch.parameters) }

    private func statement(_ condition: String, _ parameters: Parameters) -> SaveStatement {
        SaveStatement(
            head + condition + returning, parameters,
            need: isDeletion && !readsOtherRows ? .init(layout.table, .delete, "deletes its rows") : nil,
            about: subject)
    }

    private var isDeletion: Bool { head.hasPrefix("DELETE") }

    /// Returns the statement with its condition and its history, as a transaction by itself.
    ///
    /// - Parameter returnsRows: Indicates whether it returns keys and entities; else it returns their number.
    func wholeWithHistory(returnsRows: Bool) throws -> SaveStatement? {
        guard let trace else { return nil }
        guard let former else {
            return try trace.statement(
                head + fetch.condition + returning, fetch.parameters, former: nil,
                returnsRows: returnsRows)
        }
        // The former foreign keys are read, under lock, before the rows are written.
        let first = "(SELECT pg_catalog.count(*) FROM old) >= 0"
        let condition = fetch.condition.isEmpty ? " WHERE \(first)" : "\(fetch.condition) AND \(first)"
        return try trace.statement(
            head + condition + returning, fetch.parameters, former: former.sql,
            returnsRows: returnsRows)
    }

    /// The query for the foreign keys that an update replaces, which locks its rows; nil if it replaces none.
    var former: SaveStatement? {
        guard let trace, trace.kind == .update, !trace.ends.isEmpty else { return nil }
        let columns = trace.endColumns(fetch.scope.alias).joined(separator: ", ")
        return SaveStatement(
            "SELECT \(columns) FROM \(fetch.layout.table) \(fetch.scope.alias)"
                + (readsOtherRows ? ", \(among())" : fetch.condition) + " ORDER BY \(key) \(lock)",
            fetch.parameters, about: selection)
    }

    /// Locks all rows that the statement would find, and returns their keys and entities.
    var lockedRows: SaveStatement {
        let entity = fetch.layout.discriminator.map { ", \(fetch.scope.alias).\($0)" } ?? ""
        return SaveStatement(
            "SELECT \(key)\(entity) FROM \(fetch.layout.table) \(fetch.scope.alias)"
                + (readsOtherRows ? ", \(among())" : fetch.condition) + " ORDER BY \(key) \(lock)",
            fetch.parameters,
            need: readsOtherRows ? nil : .init(layout.table, .update, "locks its rows first"),
            about: selection)
    }

    /// A Boolean value that indicates whether the condition or the values read other rows than those that are
    /// written.
    ///
    /// If a statement has waited for a row, the server checks that row again, and not the rows next to it.
    /// Such a statement locks its rows first and checks its condition afterwards, in a later snapshot.
    var readsOtherRows: Bool {
        if keys != nil { return false }
        return !fetch.scope.joins.isEmpty || fetch.condition.contains("SELECT ") || head.contains("SELECT ")
    }

    /// Locks the rows that the statement would find, and returns their keys, up to a number.
    func locked(limit: Int) -> SaveStatement {
        SaveStatement(
            "SELECT \(key) FROM \(fetch.layout.table) \(fetch.scope.alias)"
                + (readsOtherRows
                    ? ", \(among(" LIMIT \(limit)")) ORDER BY \(key) "
                    : "\(fetch.condition) ORDER BY \(key) LIMIT \(limit) ") + lock, fetch.parameters,
            about: selection)
    }

    /// Locks all rows that the statement would find.
    var lockingAll: SaveStatement {
        SaveStatement(
            "SELECT pg_catalog.count(*) FROM (SELECT 1 FROM \(fetch.layout.table) \(fetch.scope.alias), "
                + "\(among()) ORDER BY \(key) \(lock)) l", fetch.parameters, about: selection)
    }

    /// Returns the keys of those locked rows that still satisfy the condition.
    func stillMeant(_ keys: [Int64]) -> SaveStatement {
        let fetch = requiring(keys)
        return SaveStatement(
            "SELECT \(key)\(fetch.scope.from)\(fetch.condition)", fetch.parameters,
            about: selection)
    }

    /// Returns the statement for those of the locked rows that still satisfy the condition.
    func changingIfMeant(_ keys: [Int64]) -> SaveStatement {
        let fetch = requiring(keys)
        return statement(
            " WHERE \(key) IN (SELECT \(key)\(fetch.scope.from)\(fetch.condition))", fetch.parameters)
    }

    /// The statement for the matching rows that can be locked at once, as those are that were locked before.
    var skippingLocked: SaveStatement {
        statement(
            " WHERE \(key) IN (SELECT \(key)\(fetch.scope.from)\(fetch.condition) ORDER BY \(key) \(lock) OF "
                + "\(fetch.scope.alias) SKIP LOCKED)", fetch.parameters)
    }

    /// Returns the statement for rows of these keys.
    func changing(_ keys: [Int64]) -> SaveStatement {
        var parameters = fetch.parameters
        parameters.append(keys)
        return statement(" WHERE \(key) = ANY($\(parameters.count))", parameters)
    }

    /// Returns the statement for the chosen rows that still satisfy the condition.
    func limited(to keys: [Int64]) -> BatchStatement {
        var statement = self
        statement.fetch = requiring(keys)
        statement.choice = nil
        return statement
    }

    /// Returns the statement for rows that are locked and match.
    func naming(_ keys: [Int64]) -> BatchStatement {
        var statement = self
        statement.keys = keys
        statement.choice = nil
        return statement
    }

    /// Runs a statement that reads other rows, in a transaction.
    func run(_ transaction: SaveTransaction) throws -> QueryResult {
        let keys = try transaction.run([locked(limit: Self.mostNamed + 1)])[0].map { $0[0].int64 }
        if keys.count <= Self.mostNamed { return try transaction.run([changingIfMeant(keys)])[0] }
        _ = try transaction.run([lockingAll])
        return try transaction.run([skippingLocked])[0]
    }

    private var key: String { fetch.layout.table.key(fetch.scope.alias) }

    /// Returns the matching rows: the end of a list of tables, and a condition.
    ///
    /// Their keys are found once, so that a row for which the lock has waited is still included. They are
    /// rows and not an array that each row is compared with. If the server checks a row again, it searches an
    /// array from its start.
    private func among(_ limit: String = "") -> String {
        "pg_catalog.unnest(ARRAY(SELECT \(key)\(fetch.scope.from)\(fetch.condition) ORDER BY \(key)\(limit))) "
            + "AS found(key) WHERE \(key) = found.key"
    }

    private func requiring(_ keys: [Int64]) -> RenderedFetch {
        var fetch = fetch
        fetch.parameters.append(keys)
        fetch.require("\(key) = ANY($\(fetch.parameters.count))")
        return fetch
    }
}
