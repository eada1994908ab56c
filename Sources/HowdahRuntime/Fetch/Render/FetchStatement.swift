import HowdahModel
import PQClient

/// The SQL of a fetch and the layout of its rows; a value that you can print and test without a server.
struct FetchStatement {
    let sql: String
    private(set) var parameters: Parameters
    let selection: SelectList
    /// The destinations that come with each row.
    let joined: [JoinedDestination]
    let layout: EntityLayout
    private var limit: Int
    /// A Boolean value that indicates whether the statement returns the hierarchy's whole table.
    private let isWholeTable: Bool
    /// The statement with its limit as a number, if it returns the first rows of the hierarchy's table.
    private let firstRows: String?
    private let isLocking: Bool
    /// The table and the call site, for observers.
    let subject: StatementSubject

    /// Creates a statement that returns rows.
    ///
    /// - Parameters:
    ///   - joined: The destinations whose columns come after those of the selection.
    ///   - behind: The expressions after all columns.
    ///   - comment: The text after the whole statement.
    init(
        _ fetch: RenderedFetch, selection: SelectList, joined: [JoinedDestination] = [], limit: Int,
        offset: Int, lock: RowLock? = nil, behind: [String] = [], comment: String = ""
    ) {
        var parameters = fetch.parameters
        let columns = ([selection.text(alias: fetch.scope.alias)] + joined.map(\.columns) + behind)
            .joined(separator: ", ")
        var sql = "SELECT \(columns)\(fetch.scope.from)\(fetch.condition)"
        if !fetch.order.isEmpty { sql += " ORDER BY " + fetch.order.joined(separator: ", ") }
        let isFirstRows =
            limit >= TableSizes.copyThreshold && offset == 0 && lock == nil && fetch.condition.isEmpty
            && parameters.count == 0
        firstRows = isFirstRows ? "\(sql) LIMIT \(limit)\(comment)" : nil
        Self.append(limit, offset, to: &parameters)
        let count = parameters.count
        if limit > 0 { sql += " LIMIT $\(offset > 0 ? count - 1 : count)" }
        if offset > 0 { sql += " OFFSET $\(count)" }
        if let lock { sql += " \(lock.clause) OF \(fetch.scope.alias)\(lock.suffix)" }
        isLocking = lock != nil
        subject = StatementSubject(.select, fetch.layout.table.subject, comment: comment)
        self.sql = sql + comment
        self.parameters = parameters
        self.selection = selection
        self.joined = joined
        self.layout = fetch.layout
        self.limit = limit
        isWholeTable = fetch.condition.isEmpty && limit == 0 && offset == 0
    }

    private static func append(_ limit: Int, _ offset: Int, to parameters: inout Parameters) {
        if limit > 0 { parameters.append(Int64(limit)) }
        if offset > 0 { parameters.append(Int64(offset)) }
    }

    /// Returns the statement with other values in its condition, and another limit and offset, which both have or none.
    func with(_ values: Parameters, limit: Int, offset: Int) -> FetchStatement {
        var statement = self
        statement.parameters = values
        Self.append(limit, offset, to: &statement.parameters)
        statement.limit = limit
        return statement
    }

    /// Returns a statement that counts the rows that the other one would return.
    static func count(
        _ fetch: RenderedFetch, limit: Int, offset: Int, comment: String = ""
    ) -> (sql: String, parameters: Parameters) {
        var parameters = fetch.parameters
        guard limit > 0 || offset > 0 else {
            return ("SELECT pg_catalog.count(*)\(fetch.scope.from)\(fetch.condition)\(comment)", parameters)
        }
        var inner = "SELECT 1\(fetch.scope.from)\(fetch.condition)"
        if limit > 0 {
            parameters.append(Int64(limit))
            inner += " LIMIT $\(parameters.count)"
        }
        if offset > 0 {
            parameters.append(Int64(offset))
            inner += " OFFSET $\(parameters.count)"
        }
        return ("SELECT pg_catalog.count(*) FROM (\(inner)) c\(comment)", parameters)
    }
}

extension FetchStatement {
    /// Returns the number of rows that is certain enough to reserve room for them; 0 if it is unknown.
    func expectedRows(_ sizes: TableSizes) -> Int {
        if isWholeTable { return sizes[layout.root] }
        return firstRows == nil ? 0 : min(limit, sizes[layout.root])
    }

    /// The statement without parameters that COPY takes; nil if it must have some, or locks rows.
    private var copied: String? { firstRows ?? (parameters.count == 0 && !isLocking ? sql : nil) }

    /// Runs the statement and registers its rows; a large table is read by COPY.
    func run(on connection: Connection, sizes: TableSizes, into registration: inout Registration) throws {
        try connection.about(subject) { try runAbout(connection, sizes, &registration) }
    }

    private func runAbout(
        _ connection: Connection, _ sizes: TableSizes, _ registration: inout Registration
    ) throws {
        if let copied, expectedRows(sizes) >= TableSizes.copyThreshold {
            try registration.register(copying: copied, on: connection)
        } else if isLocking {
            _ = try registration.register(lockingResult(on: connection))
        } else {
            _ = try registration.register(connection.query(sql, parameters))
        }
        if isWholeTable { sizes.note(registration.objects.count, root: layout.root) }
    }
}

extension FetchStatement {
    /// Runs the statement between a savepoint and its release, in one round trip.
    ///
    /// If a lock is not available, the transaction continues, after two more round trips.
    private func lockingResult(on connection: Connection) throws -> QueryResult {
        let savepoint = "howdah_lock"
        var batch = Batch()
        let control = StatementSubject(.transaction)
        batch.add("SAVEPOINT \(savepoint)", about: control)
        batch.add(sql, parameters)
        batch.add("RELEASE SAVEPOINT \(savepoint)", about: control)
        let wasUsable = connection.transactionStatus == .inTransaction
        do {
            return try connection.run(batch)[1]
        } catch {
            if wasUsable, connection.isUsable, connection.transactionStatus == .failed {
                // The fetch's own error is the one to report; a transaction that stays failed says so by itself.
                try? connection.rollback(toSavepoint: savepoint)
                try? connection.release(savepoint: savepoint)
            }
            throw error
        }
    }
}

extension RowLock {
    fileprivate var clause: String {
        switch strength {
        case .update: "FOR UPDATE"
        case .noKeyUpdate: "FOR NO KEY UPDATE"
        case .share: "FOR SHARE"
        }
    }

    fileprivate var suffix: String {
        switch waiting {
        case .waits: ""
        case .skips: " SKIP LOCKED"
        case .fails: " NOWAIT"
        }
    }
}

extension FetchStatement: CustomStringConvertible {
    var description: String { sql }
}
