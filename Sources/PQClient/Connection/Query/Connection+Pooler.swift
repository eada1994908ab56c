internal import CLibPQ

extension Connection {
    /// Detects the pooler between this client and the server, and adapts the session to it.
    func findPooler(_ mode: PoolerMode, until limit: ContinuousClock.Instant) throws {
        switch mode {
        case .session: return
        case .transaction: pooling = .passing
        default:
            let timeout = statementTimeout
            defer {
                deadline = nil
                statementTimeout = timeout
                givesUpAtDeadline = false
            }
            // There is nothing in the session yet that a cancel request would save.
            givesUpAtDeadline = true
            deadline = limit
            statementTimeout = nil
            let session = try firstLook()
            findsOwnNamesFirst = Self.findsOwnNamesFirst(session[1])
            // A pooler makes up a number, as requests to cancel go to the pooler.
            let isDirect = session[2] == String(backendProcessID)
            if session[0] == "replica" { try enforceConstraints(isDirect: isDirect) }
            if isDirect { return }
            pooling = try findTranslation()
        }
        if pooling == .passing { cache = StatementCache(capacity: 0) }
        cache.keepsAll = pooling == .translating && !howdah_has_close_prepared()
    }

    /// Returns the session's replication role, its search path and its process; one round trip.
    ///
    /// SHOW needs no look-up in the catalogue, which takes a new session longer than the answer.
    private func firstLook() throws -> [String] {
        let script = "SHOW session_replication_role; SHOW search_path; SELECT pg_catalog.pg_backend_pid()"
        return try unobservedExchange(script, kind: .other) { exchange in
            try sent(PQsendQuery(try openHandle(exchange), script), &exchange)
            var values: [String] = []
            _ = try finish(&exchange) { if let value = $0.scalar({ $0.string() }) { values.append(value) } }
            guard values.count == 3 else { throw lost(exchange) }
            return values
        }
    }

    /// Indicates whether a search path searches `pg_catalog` first, as it does if it does not name it.
    package static func findsOwnNamesFirst(_ path: String) -> Bool {
        let schemas = path.split(separator: ",").map { part in
            let name = part.drop { $0.isWhitespace }
            // Without quotes, case does not count.
            return name.hasPrefix("\"")
                ? String(name.dropFirst().prefix { $0 != "\"" })
                : name.prefix { !$0.isWhitespace }.lowercased()
        }
        return schemas.first { $0 != "pg_temp" } == "pg_catalog" || !schemas.contains("pg_catalog")
    }

    /// Makes foreign keys and triggers work in spite of a setting of the role or the database.
    ///
    /// Only a superuser may do so, and thus not every session at its opening.
    private func enforceConstraints(isDirect: Bool) throws {
        do {
            if isDirect {
                _ = try query(Self.enforcement, cached: false)
                enforcesConstraints = true
                return
            }
        } catch let error as PostgresError where error.sqlState != SQLState.insufficientPrivilege {
            throw error
        } catch {}
        throw PostgresError(
            .connectionFailed,
            "session_replication_role is 'replica' for this role or database. The server therefore checks no foreign "
                + "keys and runs no triggers. Run ALTER ROLE or ALTER DATABASE … RESET session_replication_role.",
            phase: .connect)
    }

    static let enforcement = "SET session_replication_role = origin"

    /// Prepares a statement and reads its name on the server.
    ///
    /// This costs one round trip and leaves nothing behind.
    private func findTranslation() throws -> Pooling {
        let probe = "howdah_probe_\(String(UInt64.random(in: .min ... .max), radix: 36))"
        var names: Set<String> = []
        do {
            // The same text for all, as a pooler that translates keeps each.
            let statement = StatementCache.Key(sql: "SELECT 1", types: [])
            try unobservedExchange(statement.sql, kind: .other) { exchange in
                let result = try run(statement, named: probe, &exchange)
                names = Set(result.map { $0[0].string() })
            }
        } catch let error as PostgresError where isUsable && error.code == .server {
            // A pooler that cannot even do this, and so certainly does not translate.
        }
        guard !names.contains(probe), names.contains(where: { $0.hasPrefix("PGBOUNCER_") }) else {
            return .passing
        }
        return .translating
    }

    /// Prepares, lists the names of all prepared statements, and removes this one.
    private func run(
        _ statement: StatementCache.Key, named name: String, _ exchange: inout Exchange
    ) throws -> QueryResult {
        let handle = try openHandle(exchange)
        guard PQenterPipelineMode(handle) == 1 else { throw unsent(exchange) }
        try sent(try sendPrepare(statement, name, exchange), &exchange, executes: false)
        let listing = "SELECT name FROM pg_catalog.pg_prepared_statements"
        try sent(try sendOnce(listing, Parameters(), exchange), &exchange, executes: false)
        // A translating pooler has no statement of this name, which is the last thing that can fail.
        try sent(howdah_send_deallocate(handle, name), &exchange, executes: false)
        guard PQpipelineSync(handle) == 1 else { throw unsent(exchange) }
        let results = try pipelineResults(3, &exchange)
        guard PQexitPipelineMode(handle) == 1 else { throw lost(exchange) }
        return try results[1].get()
    }

    /// Returns the results of a pipeline of `count` commands, and of its end.
    func pipelineResults(
        _ count: Int, _ exchange: inout Exchange
    ) throws -> [Result<QueryResult, PostgresError>] {
        var results: [Result<QueryResult, PostgresError>] = []
        var emptyReads = 0
        while true {
            guard let raw = try nextResult(&exchange) else {
                // libpq ends a command with nil before it turns to the next; twice in a row means it has none.
                emptyReads += 1
                if emptyReads > 1 || !isUsable { throw lost(exchange) }
                continue
            }
            emptyReads = 0
            switch PQresultStatus(raw) {
            case PGRES_PIPELINE_SYNC:
                PQclear(raw)
                guard results.count == count else { throw lost(exchange) }
                return results
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: results.append(.success(QueryResult(handle: raw)))
            default:
                results.append(.failure(error(raw, exchange)))
                PQclear(raw)
            }
        }
    }
}
