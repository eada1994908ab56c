internal import CLibPQ

extension Connection {
    /// Runs all statements of a batch and returns their results in order; blocks for one round trip.
    ///
    /// A batch may be of any size, because sending and receiving alternate. Outside a transaction the batch
    /// is one transaction, if it does not hold BEGIN or COMMIT. After the first error the server skips the
    /// rest. The connection stays usable, and an open transaction has then failed.
    ///
    /// - Parameter batch: The statements.
    /// - Returns: One result for each statement, in the order of the batch.
    /// - Throws: ``PostgresError`` as ``query(_:_:cached:)``, with `batchIndex`.
    public func run(_ batch: Batch) throws -> [QueryResult] {
        for (index, entry) in batch.entries.enumerated() {
            guard !entry.sql.utf8.contains(0) else { throw Self.containsNUL(index) }
            try entry.parameters.checkLimits()
        }
        guard batch.count > 0 else { return [] }
        let start = beginObserved()
        var progress = PipelineProgress()
        do {
            try unobservedExchange(batch.entries[0].sql, kind: .other) { exchange in
                try send(batch, &progress, &exchange)
            }
        } catch let error as PostgresError {
            if let start, !error.isUnsent { report(batch, progress, start, error) }
            throw error
        }
        if let start { report(batch, progress, start, nil) }
        return progress.results
    }

    func send(
        _ batch: Batch, _ progress: inout PipelineProgress, _ exchange: inout Exchange
    ) throws {
        let handle = try openHandle(exchange)
        guard PQenterPipelineMode(handle) == 1 else { throw unsent(exchange) }
        for (index, entry) in batch.entries.enumerated() where progress.failure == nil {
            do {
                try send(entry, index, &progress, &exchange)
            } catch var error as PostgresError where error.code == .misuse {
                // libpq refused before sending; the rest must still be synchronised.
                error.batchIndex = index
                progress.failure = error
                break
            }
            if progress.unreadBytes > PipelineProgress.unreadLimit {
                progress.unreadBytes = 0
                try flush(batch, &progress, &exchange)
            }
        }
        guard PQpipelineSync(handle) == 1 else { throw unsent(exchange) }
        progress.expect(.sync, bytes: 0)
        try drain(batch, &progress, &exchange)
        guard PQexitPipelineMode(handle) == 1 else { throw lostInPipeline(progress, exchange) }
        if let failure = progress.failure { throw failure }
    }

    private func send(
        _ entry: Batch.Entry, _ index: Int, _ progress: inout PipelineProgress, _ exchange: inout Exchange
    ) throws {
        let kind = StatementKind(entry.sql)
        let size = entry.parameters.writer.buffer.count + entry.sql.utf8.count + 64
        exchange.noteExecution(of: kind)
        let key = StatementCache.Key(sql: entry.sql, types: entry.parameters.types)
        var name = entry.cached && kind == .other ? cache.use(key) : nil
        guard name != nil || entry.cached && kind == .other && !cache.isFull else {
            try sent(try sendOnce(entry.sql, entry.parameters, exchange), &exchange, executes: false)
            return progress.expect(.execute(entry: index), bytes: size)
        }
        if name == nil {
            for victim in cache.makeRoom() {
                try sent(
                    howdah_send_deallocate(try openHandle(exchange), victim), &exchange, executes: false)
                progress.expect(.deallocate(name: victim), bytes: 64)
            }
            let fresh = cache.makeName(for: key)
            try sent(try sendPrepare(key, fresh, exchange), &exchange, executes: false)
            progress.expect(.prepare(entry: index, key, name: fresh), bytes: 0)
            cache.insert(key, name: fresh)
            name = fresh
        }
        try sent(try sendPrepared(name ?? "", entry.parameters, exchange), &exchange, executes: false)
        progress.expect(.execute(entry: index), bytes: size)
    }

    private func report(
        _ batch: Batch, _ progress: PipelineProgress, _ start: MonotonicTime, _ error: PostgresError?
    ) {
        let now = MonotonicTime.now
        let time = now.nanoseconds(since: start)
        if error == nil, let roundTripObserver {
            switch roundTripObserver.need(after: time) {
            case .nothing: return
            case .numbers:
                let subject = RoundTripSubject(batch.entries.lazy.map { $0.subject ?? self.subject })
                if subject.isKept {
                    return count(
                        RoundTripKey(subject), time, rows: progress.rows(of: batch), at: now,
                        for: roundTripObserver)
                }
            case .everything: break
            }
        }
        let duration = Duration.nanoseconds(time)
        let done = progress.results.count
        let failed = error.map { $0.batchIndex ?? done }
        for (index, entry) in batch.entries.enumerated() {
            guard index < done || index == failed else { break }
            observer?(
                StatementEvent(
                    kind: .statement, sql: entry.sql, duration: duration,
                    rows: index < done ? progress.rows(of: entry, index) : 0, batchIndex: index,
                    error: index == failed ? error : nil, subject: entry.subject ?? subject))
        }
        guard let roundTripObserver else { return }
        let sent = batch.entries.prefix(max(done, failed.map { $0 + 1 } ?? 0))
        roundTripObserver.observe(
            RoundTrip(
                texts: sent.map(\.sql), subjects: sent.map { $0.subject ?? subject }, duration: duration,
                rows: progress.rows(of: batch), error: error))
    }

    private static func containsNUL(_ index: Int) -> PostgresError {
        var error = PostgresError(.invalidValue, "The SQL text contains U+0000. Remove that character.")
        error.batchIndex = index
        return error
    }
}

extension PipelineProgress {
    /// Returns the rows returned or affected so far, in all.
    fileprivate func rows(of batch: Batch) -> Int {
        guard batch.returnsCounts else { return results.reduce(0) { $0 + $1.affectedRows } }
        return results.indices.reduce(0) { $0 + rows(of: batch.entries[$1], $1) }
    }

    fileprivate func rows(of entry: Batch.Entry, _ index: Int) -> Int {
        results[index].observedRows(isCount: entry.subject?.returnsCount ?? false)
    }
}
