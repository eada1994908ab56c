public import HowdahModel

extension PersistentContainer {
    /// Inserts the rows of a lazy sequence, whose closures may belong to the actor of the caller.
    ///
    /// So the caller iterates it, before the transaction begins: the rows are collected as those of an
    /// `AsyncSequence`. The insertion is repeated after a lost deadlock.
    ///
    /// - Throws: The errors of `execute(_:)`; `CancellationError`; `StoreError` with `temporaryFile`.
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject, Rows: LazySequenceProtocol>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count,
            refusedRows: RefusedRowPolicy = .fail, from rows: Rows
        ) async throws -> BatchInsertResult<Object> where Rows.Element == BatchInsertRow
    {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result,
            refusedRows: refusedRows)
        return try await insert(target, collecting: rows.lazy.map(\.values))
    }

    /// Inserts the rows of a lazy sequence of dictionaries, which the caller iterates before the transaction
    /// begins.
    ///
    /// - Throws: The errors of `execute(_:)`; `CancellationError`; `StoreError` with `temporaryFile`.
    @_disfavoredOverload
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject, Rows: LazySequenceProtocol & SendableMetatype, V>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count,
            refusedRows: RefusedRowPolicy = .fail, from rows: Rows
        ) async throws -> BatchInsertResult<Object>
    where Rows.Element == [String: V], Rows.Iterator: SendableMetatype {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result,
            refusedRows: refusedRows)
        return try await insert(target, collecting: rows)
    }

    nonisolated(nonsending)
        private func insert<Object: ManagedObject, V>(
            _ target: BatchTarget, collecting rows: some Sequence<[String: V]>
        ) async throws -> BatchInsertResult<Object>
    {
        let spool = Spool(directory: store.settings.temporaryDirectory)
        defer { spool.close() }
        var spooler = try RowSpooler(target, Object.self, in: store, to: spool)
        for row in rows {
            if spooler.count % 1_024 == 0 { try Task.checkCancellation() }
            try spooler.add(row)
        }
        try spooler.flush()
        return try await insert(target, spooler.count, refused: spooler.refused, from: spool)
    }
}
