import Foundation
import HowdahModel
import PQClient

/// Reads the history in windows between two snapshots, each in the order of the changes.
///
/// A window ends at an edge that is flushed to the log, so that no crash can undo its changes. Each statement
/// that reads rows judges the token too: a statement before or after proves nothing.
struct HistoryReader: Sendable {
    private let statements: HistoryStatements
    private let store: UInt32
    private let judgedHistory: JudgedHistory
    let conditions: HistoryConditions

    init(_ store: Store, _ conditions: HistoryConditions) {
        statements = HistoryStatements(in: store.layouts.schema.schemaName)
        self.store = HistoryToken.mark(of: store.identifier)
        judgedHistory = store.judgedHistory
        self.conditions = conditions
    }

    // MARK: Edges

    /// Returns the state now; one round trip.
    func state(on connection: Connection) throws -> HistoryState {
        try HistoryError.explaining {
            try HistoryState.first(connection.query(statements.edge, about: StatementSubject(.select)))
        }
    }

    /// Returns a token of everything that is committed now, and flushed.
    func currentToken(on connection: Connection) throws -> HistoryToken {
        while true {
            let state = try state(on: connection)
            if state.isRestored { throw HistoryError.restored }
            if !state.hasHeartbeat { try beat(on: connection) }
            if try state.isFlushed || flush(state.edge, on: connection) {
                return token(state, state.edge.snapshot)
            }
        }
    }

    /// Returns the token from which on everything is kept.
    func firstToken(on connection: Connection) throws -> HistoryToken {
        let state = try state(on: connection)
        if state.isRestored { throw HistoryError.restored }
        if !state.hasHeartbeat { try beat(on: connection) }
        return token(state, state.beginning)
    }

    private func token(
        _ state: HistoryState, _ snapshot: StoreSnapshot, _ page: HistoryToken.Page? = nil
    ) -> HistoryToken {
        HistoryToken(
            store: store, incarnation: state.incarnation, era: state.era, snapshot: snapshot, page: page)
    }

    /// Makes the server flush its log up to an edge.
    ///
    /// Outside of a transaction a small one does it. Inside, the writer of the log does it within a second.
    ///
    /// - Returns: False if the server may have crashed since the edge was taken, so that it is of no use. Behind a
    ///   pooler, the connection survives a crash.
    func flush(_ edge: HistoryEdge, on connection: Connection) throws -> Bool {
        if connection.transactionStatus == .idle {
            var batch = Batch()
            batch.add(
                "\(HistoryStatements.mark)SELECT pg_catalog.set_config('synchronous_commit', 'on', TRUE)",
                about: StatementSubject(.transaction))
            batch.add(
                "\(HistoryStatements.mark)SELECT pg_catalog.pg_logical_emit_message(TRUE, 'howdah', '')",
                about: StatementSubject(.select))
            // In the same transaction: the server has not crashed between this and the end of the flush.
            batch.add(
                "\(HistoryStatements.mark)SELECT \(HistoryStatements.checkpoint)",
                about: StatementSubject(.select))
            let result = try HistoryError.explaining { try connection.run(batch)[2] }
            return result.first { $0[0].string() } == edge.checkpoint
        }
        let end = ContinuousClock.now + .seconds(5)
        var parameters = Parameters()
        try parameters.append(edge.position)
        while true {
            let result = try HistoryError.explaining {
                try connection.query(statements.flushed, parameters, about: StatementSubject(.select))
            }
            if result.first({ $0[0].isTrue }) ?? false { return true }
            guard .now < end else {
                throw HistoryError(
                    .database,
                    "The server did not flush its log within 5 s. Take the token outside of a transaction.")
            }
            connection.canceller.pause(for: .milliseconds(5))
        }
    }

    /// Writes the first heartbeat of the present era, before a token of the era is handed out.
    ///
    /// The next era knows a token only if a heartbeat of the token's era exists. Inside of a transaction, and
    /// without the right to write heartbeats, a container writes it within five seconds.
    private func beat(on connection: Connection) throws {
        guard connection.transactionStatus == .idle else { return }
        do {
            for _ in 0..<50 {
                if try connection.query(statements.heartbeat, about: StatementSubject(.select)).first({
                    $0[0].isTrue
                }) ?? true {
                    return
                }
                // Another process writes it now.
                if try HistoryState.first(connection.query(statements.edge, about: StatementSubject(.select)))
                    .hasHeartbeat
                {
                    return
                }
                connection.canceller.pause(for: .milliseconds(10))
            }
        } catch let error as PostgresError
            where [SQLState.insufficientPrivilege, SQLState.readOnlyTransaction].contains(error.sqlState)
        {}
    }

    // MARK: Windows

    /// Reads the changes after a token: all of them if they are few, otherwise a page.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - kept: The edge that the last reading found and could not use.
    func read(
        after token: HistoryToken, keeping kept: HistoryEdge? = nil, on connection: Connection
    ) throws -> HistoryReading {
        guard token.store == store else { throw HistoryError.foreign }
        return try HistoryError.explaining {
            var (token, kept, isRewound) = (token, kept, false)
            while true {
                do {
                    var reading = try readOnce(after: token, keeping: kept, on: connection)
                    reading.isRewound = reading.isRewound || isRewound
                    return reading
                } catch let error as OtherEra {
                    // The place inside a window goes, too: numbers repeat as well as transactions.
                    token = try rewind(token, to: error.state, on: connection)
                    (kept, isRewound) = (nil, true)
                }
            }
        }
    }

    /// The server runs in another era than the token is of.
    private struct OtherEra: Error {
        let state: HistoryState
    }

    private func readOnce(
        after token: HistoryToken, keeping kept: HistoryEdge?, on connection: Connection
    ) throws -> HistoryReading {
        if let page = token.page {
            return try self.page(page, after: token, keeping: kept, on: connection)
        }
        if kept == nil, judgedHistory.includes(token), try isUnchanged(since: token, on: connection) {
            return HistoryReading(end: token.snapshot, start: token.snapshot, token: token)
        }
        var parameters = Parameters()
        try parameters.append(token.snapshot.description)
        try Self.append(kept?.position, to: &parameters)
        try Self.append(kept?.snapshot.description, to: &parameters)
        try Self.append(kept?.checkpoint, to: &parameters)
        try conditions.append(to: &parameters)
        let result = try Self.run(statements.poll, parameters, HistoryStatements.pollSettings, on: connection)
        let state = try judged(result, token, on: connection)
        let first = HistoryState.columnCount
        let (isBig, edge) =
            result.first { row in
                (
                    row[first].bool,
                    row[first + 1].isNull ? nil : StoreSnapshot(row[first + 1].string())
                )
            } ?? (false, nil)
        let next = HistoryEdge.toKeep(
            kept, isKeptFlushed: edge != nil, current: state.edge, isCurrentFlushed: state.isFlushed)
        // An edge from before the token is of no use: a token's own changes would be repeated.
        guard let end = edge, end.sees(allOf: token.snapshot) else {
            return HistoryReading(start: token.snapshot, token: token, kept: next)
        }
        if isBig {
            let number = try firstNumber(token.snapshot, end, on: connection)
            return try page(
                HistoryToken.Page(end: end, number: number - 1, part: .max), after: token, keeping: next,
                on: connection)
        }
        let rows = try Self.rows(result, from: first + 2)
        let last = state.isFlushed ? state.edge : kept
        return HistoryReading(
            rows: rows, end: end, edge: last?.flushed, start: token.snapshot, token: self.token(state, end),
            kept: next)
    }

    /// Returns a Boolean value that indicates whether nothing can have been stored or removed since a token; one
    /// round trip.
    private func isUnchanged(since token: HistoryToken, on connection: Connection) throws -> Bool {
        var parameters = Parameters()
        try parameters.append(token.snapshot.description)
        try parameters.append(token.era.description)
        return try connection.query(statements.isUnchanged, parameters, about: StatementSubject(.select))
            .first { $0[0].isTrue } ?? false
    }

    /// Reads the next rows of a window.
    private func page(
        _ page: HistoryToken.Page, after token: HistoryToken, keeping kept: HistoryEdge?,
        on connection: Connection
    ) throws -> HistoryReading {
        var parameters = Parameters()
        try parameters.append(token.snapshot.description)
        try parameters.append(page.end.description)
        parameters.append(page.number)
        parameters.append(.int4) { $0.int32(page.part) }
        try conditions.append(to: &parameters)
        let result = try Self.run(statements.page, parameters, HistoryStatements.pageSettings, on: connection)
        let state = try judged(result, token, on: connection)
        guard page.end.xmax <= state.edge.snapshot.xmax else { throw HistoryError.expired }
        let first = HistoryState.columnCount
        var rows = try Self.rows(result, from: first + 1)
        let next = Self.next(after: rows.last, in: result, at: first)
        var reading = HistoryReading(
            end: page.end, start: token.snapshot, token: self.token(state, page.end), kept: kept)
        if let next {
            reading.isComplete = false
            if next == rows.last?.number {
                // More rows of the last number follow.
                let whole = rows.prefix { $0.number != next }
                if whole.isEmpty { reading.isPartial = true } else { rows = Array(whole) }
            }
            if let last = rows.last {
                reading.token = self.token(
                    state, token.snapshot,
                    HistoryToken.Page(
                        end: page.end, number: last.number, part: reading.isPartial ? last.part : .max))
            }
        }
        reading.rows = rows
        return reading
    }

    /// Returns the state in a result that has rows too, if it proves that the token is served.
    private func judged(
        _ result: QueryResult, _ token: HistoryToken, on connection: Connection
    ) throws -> HistoryState {
        let state = try HistoryState.first(result)
        guard state.showsTruncation else { throw HistoryError.fixedSnapshot }
        guard state.incarnation == token.incarnation else { throw HistoryError.expired }
        guard state.era == token.era else { throw OtherEra(state: state) }
        try state.check(token.snapshot)
        if state.hasHeartbeat {
            judgedHistory.note(state.incarnation, state.era)
        } else {
            try beat(on: connection)
        }
        return state
    }

    /// - Throws: ``HistoryError`` with `tokenExpired` or `otherStore` if the store will never serve the token again.
    func check(_ token: HistoryToken, on connection: Connection) throws {
        guard token.store == store else { throw HistoryError.foreign }
        try HistoryError.explaining {
            let state = try state(on: connection)
            guard state.incarnation == token.incarnation else { throw HistoryError.expired }
            try state.check(rewound(token, to: state, on: connection))
        }
    }

    /// Returns a Boolean value that indicates whether the store will never serve a stored token again.
    func isExpired(_ stored: String, on connection: Connection) throws -> Bool {
        // A later version of the library may read it.
        guard let token = HistoryToken(stored) else { return false }
        do {
            try check(token, on: connection)
            return false
        } catch let error as HistoryError where error.code == .tokenExpired || error.code == .otherStore {
            return true
        }
    }

    private func firstNumber(
        _ old: StoreSnapshot, _ new: StoreSnapshot, on connection: Connection
    ) throws -> Int64 {
        var parameters = Parameters()
        try parameters.append(old.description)
        try parameters.append(new.description)
        let result = try Self.run(
            statements.first, parameters, HistoryStatements.pollSettings, on: connection)
        return result.first { $0[0].isNull ? 1 : $0[0].int64 } ?? 1
    }

    /// Runs a statement under settings that end with it; one round trip.
    private static func run(
        _ statement: String, _ parameters: Parameters, _ settings: String, on connection: Connection
    ) throws -> QueryResult {
        var batch = Batch()
        batch.add(settings, about: StatementSubject(.transaction))
        batch.add(statement, parameters, about: StatementSubject(.select))
        return try connection.run(batch)[1]
    }

    /// Returns the token that the present era still knows: ids and numbers may have been given out again.
    private func rewind(
        _ token: HistoryToken, to state: HistoryState, on connection: Connection
    ) throws -> HistoryToken {
        self.token(state, try rewound(token, to: state, on: connection))
    }

    /// Returns the part of a token's snapshot that the present era still knows.
    ///
    /// - Throws: ``HistoryError`` with `tokenExpired` if nothing is known of the token's era.
    func rewound(
        _ token: HistoryToken, to state: HistoryState, on connection: Connection
    ) throws -> StoreSnapshot {
        if token.era == state.era { return token.snapshot }
        let result = try connection.query(statements.eras, about: StatementSubject(.select))
        var ends: [HistoryEra: HistoryEras.End] = [:]
        result.forEachRow { row in
            guard !row[2].isNull, let ended = HistoryEra(row[2].string()),
                let next = HistoryEra(row[3].string()),
                let heartbeat = StoreSnapshot(row[4].string())
            else { return }
            ends[ended] = HistoryEras.End(next: next, heartbeat: heartbeat)
        }
        let last = result.first { (HistoryEra($0[0].string()), StoreSnapshot($0[1].string())) }
        guard let last, let latest = last.0, let heartbeat = last.1 else { throw HistoryError.expired }
        let eras = HistoryEras(present: state.era, latest: latest, heartbeat: heartbeat, ends: ends)
        guard let snapshot = eras.rewound(token.snapshot, of: token.era) else { throw HistoryError.expired }
        return snapshot
    }

    /// Returns the number of the row after the last one of a page; nil if the window ends there.
    private static func next(after last: HistoryRow?, in result: QueryResult, at column: Int) -> Int64? {
        guard let last else { return nil }
        var next: Int64?
        result.forEachRow { row in
            let isLast = row[column + 1].int64 == last.number && row[column + 2].int32 == last.part
            if isLast, !row[column].isNull { next = row[column].int64 }
        }
        return next
    }

    private static func rows(_ result: QueryResult, from first: Int) throws -> [HistoryRow] {
        var rows: [HistoryRow] = []
        rows.reserveCapacity(result.rowCount)
        try result.forEachRow { row in
            if !row[first].isNull { rows.append(try HistoryRow(row, from: first)) }
        }
        return rows.sorted { ($0.number, $0.part) < ($1.number, $1.part) }
    }

    private static func append(_ text: String?, to parameters: inout Parameters) throws {
        guard let text else { return parameters.appendNull(.text) }
        try parameters.append(text)
    }
}
