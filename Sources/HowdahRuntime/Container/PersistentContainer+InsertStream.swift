public import HowdahModel

extension PersistentContainer {
    /// Inserts the rows of an asynchronous sequence, in one transaction that begins when the sequence has
    /// ended.
    ///
    /// It works as `insert(into:from:)` with an array. The rows are collected in about a MiB of memory, and
    /// beyond that in a temporary file. Meanwhile the call holds no thread, connection or transaction of the
    /// container, so the rows may be read from the same container. If a row does not fit the model, the call
    /// ends at once. The database checks the rows only after the last one has arrived.
    ///
    /// The call returns as soon as its task is cancelled, even if the sequence ignores that. The sequence
    /// then ends when it returns its next row.
    ///
    /// - Throws: The errors of `execute(_:)`; the error of the sequence; `CancellationError`. `StoreError`
    ///   with `streamIdle` if the sequence returns no row for ``StoreOptions/streamIdleTimeout``, `closed` if
    ///   the container is closed meanwhile, or `temporaryFile`. After any of them nothing is stored.
    @_disfavoredOverload
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject, Rows: AsyncSequence & SendableMetatype, V: Sendable>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count,
            refusedRows: RefusedRowPolicy = .fail, from rows: sending Rows
        ) async throws -> BatchInsertResult<Object>
    where Rows.Element == [String: V], Rows.AsyncIterator: SendableMetatype {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result,
            refusedRows: refusedRows)
        // Sound: sent here, and used by the body only, which runs once.
        nonisolated(unsafe) let rows = rows
        return try await insert(target) { spooler, session in
            for try await row in rows {
                try session.advance()
                try spooler.add(row)
            }
        }
    }

    /// Inserts the rows of an asynchronous sequence that makes them by literals, such as
    /// `lines.map { ["text": $0, "isNew": true] }`.
    ///
    /// - Throws: The errors of `insert(into:from:)` with an asynchronous sequence of dictionaries.
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject, Rows: AsyncSequence & SendableMetatype>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count,
            refusedRows: RefusedRowPolicy = .fail, from rows: sending Rows
        ) async throws -> BatchInsertResult<Object>
    where Rows.Element == BatchInsertRow, Rows.AsyncIterator: SendableMetatype {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result,
            refusedRows: refusedRows)
        // Sound: sent here, and used by the body only, which runs once.
        nonisolated(unsafe) let rows = rows
        return try await insert(target) { spooler, session in
            for try await row in rows {
                try session.advance()
                try spooler.add(row.values)
            }
        }
    }

    /// Inserts the rows of an asynchronous sequence that makes them by literals with `nil`.
    ///
    /// - Throws: The errors of `insert(into:from:)` with an asynchronous sequence of dictionaries.
    @_disfavoredOverload
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject, Rows: AsyncSequence & SendableMetatype>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count,
            refusedRows: RefusedRowPolicy = .fail, from rows: sending Rows
        ) async throws -> BatchInsertResult<Object>
    where Rows.Element == [String: (any Sendable)?], Rows.AsyncIterator: SendableMetatype {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result,
            refusedRows: refusedRows)
        // Sound: sent here, and used by the body only, which runs once.
        nonisolated(unsafe) let rows = rows
        return try await insert(target) { spooler, session in
            for try await row in rows {
                try session.advance()
                try spooler.add(row)
            }
        }
    }

    nonisolated(nonsending)
        private func insert<Object: ManagedObject>(
            _ target: BatchTarget,
            collecting body: @escaping @Sendable (inout RowSpooler, StreamSession) async throws -> Void
        ) async throws -> BatchInsertResult<Object>
    {
        let spool = Spool(directory: store.settings.temporaryDirectory)
        defer { spool.close() }
        let destination = try RowSpooler.Destination(target, Object.self, in: store)
        let (count, refused) = try await store.stream(with: .source) { [store] session in
            var spooler = RowSpooler(destination, in: store, to: spool)
            try await body(&spooler, session)
            try spooler.flush()
            return (spooler.count, spooler.refused)
        }
        return try await insert(target, count, refused: refused, from: spool)
    }

    /// Inserts the rows of a spool; it starts again after a lost deadlock.
    nonisolated(nonsending)
        func insert<Object: ManagedObject>(
            _ target: BatchTarget, _ count: Int, refused: RefusedRowList?, from spool: Spool
        ) async throws -> BatchInsertResult<Object>
    {
        try await perform { context in
            try context.repeatingDeadlocks {
                spool.rewind()
                var rows = SpooledRows(spool)
                return try context.insert(target, leastCount: count, refused: refused) { try rows.next() }
            }
        }
    }
}
