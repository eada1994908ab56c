internal import CLibPQ

extension Connection {
    /// Sends everything that libpq holds, and reads the answers that arrive meanwhile.
    func flush(_ batch: Batch, _ progress: inout PipelineProgress, _ exchange: inout Exchange) throws {
        while true {
            let handle = try openHandle(exchange)
            let unsent = PQflush(handle)
            let isAlive = PQconsumeInput(handle) == 1
            try readAnswers(batch, &progress, &exchange)
            if unsent < 0 || !isAlive { throw lostInPipeline(progress, exchange) }
            if unsent == 0 { return }
            try wait(&exchange, writing: true)
        }
    }

    /// Reads until every sent statement has its answer.
    func drain(_ batch: Batch, _ progress: inout PipelineProgress, _ exchange: inout Exchange) throws {
        while true {
            let handle = try openHandle(exchange)
            let unsent = PQflush(handle)
            try readAnswers(batch, &progress, &exchange)
            if progress.owed.isEmpty { return }
            if unsent < 0 { throw lostInPipeline(progress, exchange) }
            try wait(&exchange, writing: unsent > 0)
            if PQconsumeInput(handle) == 0 {
                try readAnswers(batch, &progress, &exchange)
                throw lostInPipeline(progress, exchange)
            }
        }
    }

    /// Takes in every answer that has arrived, without waiting.
    private func readAnswers(
        _ batch: Batch, _ progress: inout PipelineProgress, _ exchange: inout Exchange
    ) throws {
        let handle = try openHandle(exchange)
        var emptyReads = 0
        while let step = progress.owed.first, PQisBusy(handle) == 0 {
            guard let raw = PQgetResult(handle) else {
                if progress.isAnswered {
                    progress.completeFirst()
                    emptyReads = 0
                } else {
                    // libpq ends a command with nil before it turns to the next; twice in a row means it has none.
                    emptyReads += 1
                    if emptyReads > 1 { throw lostInPipeline(progress, exchange) }
                }
                continue
            }
            emptyReads = 0
            if PQresultStatus(raw) == PGRES_PIPELINE_SYNC {
                PQclear(raw)
                progress.completeFirst()
            } else {
                progress.isAnswered = true
                try take(raw, for: step, batch, &progress, exchange)
            }
        }
    }

    private func take(
        _ raw: OpaquePointer, for step: PipelineProgress.Step, _ batch: Batch,
        _ progress: inout PipelineProgress, _ exchange: Exchange
    ) throws {
        switch PQresultStatus(raw) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            let result = QueryResult(handle: raw)
            guard case .execute(let index) = step else { return }
            progress.results.append(result)
            let sql = batch.entries[index].sql
            do {
                try check(result, Exchange(sql, kind: StatementKind(sql), isAutocommit: false))
            } catch var error as PostgresError {
                error.batchIndex = index
                progress.failure = progress.failure ?? error
            }
        case PGRES_PIPELINE_ABORTED:
            PQclear(raw)
            undo(step)
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(raw)
            close()
            var error = PostgresError(
                .misuse,
                "A COPY statement was run in a batch. The connection was closed. Use copyIn(_:_:) or copyOut.",
                statement: exchange.sql, mayHaveCommitted: exchange.mayCommit)
            if case .execute(let index) = step {
                error.batchIndex = index
                error.statement = batch.entries[index].sql
            }
            throw error
        default:
            defer { PQclear(raw) }
            undo(step)
            if progress.failure == nil { progress.failure = failure(raw, step, batch, exchange) }
        }
    }

    private func failure(
        _ raw: OpaquePointer, _ step: PipelineProgress.Step, _ batch: Batch, _ exchange: Exchange
    ) -> PostgresError {
        let index: Int?
        var phase = PostgresError.Phase.execute
        switch step {
        case .prepare(let entry, _, _):
            index = entry
            phase = .prepare
        case .execute(let entry): index = entry
        case .deallocate, .sync: index = nil
        }
        var context = exchange
        context.phase = phase
        if let index {
            context = exchange.renamed(batch.entries[index].sql, phase: phase)
        }
        var error = error(raw, context)
        error.batchIndex = index
        if case .execute(let entry) = step, error.isAboutStaleStatement {
            let failed = batch.entries[entry]
            cache.remove(
                StatementCache.Key(sql: failed.sql, types: failed.parameters.types),
                existsOnServer: error.sqlState != SQLState.invalidStatementName)
            if error.sqlState == SQLState.featureNotSupported { statementTag?.renew() }
        }
        return error
    }

    /// Corrects the cache for a step that the server did not carry out.
    private func undo(_ step: PipelineProgress.Step) {
        switch step {
        case .prepare(_, let key, _): cache.remove(key, existsOnServer: false)
        case .deallocate(let name): cache.abandon(name)
        case .execute, .sync: break
        }
    }

    func lostInPipeline(_ progress: PipelineProgress, _ exchange: Exchange) -> PostgresError {
        // The server's farewell says why; a statement's failure before it does not.
        let error = progress.failure.flatMap { $0.code == .connectionLost ? $0 : nil } ?? lost(exchange)
        close()
        return error
    }
}
