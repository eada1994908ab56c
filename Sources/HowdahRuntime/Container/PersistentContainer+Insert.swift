public import HowdahModel

extension PersistentContainer {
    /// Inserts rows without making objects of them, in one transaction.
    ///
    /// ```swift
    /// try await container.insert(into: Employee.self, from: [["firstName": "Ada", "salary": 100]])
    /// ```
    /// A row is a dictionary by the names of attributes, of to-one relationships, which take an `ObjectID`, or of dotted
    /// paths into composites; what it does not name gets the model's default. For what holds, what it costs and what
    /// fails see `execute(_:)` of ``ManagedObjectContext`` with a ``BatchInsertRequest``.
    ///
    /// - Parameters:
    ///   - entityName: nil means the entity of `Object`.
    ///   - uniqueness: what happens to rows with unique values that a stored row has.
    ///   - arbiter: the properties of the uniqueness constraint that decides whether a row is there already; needed where
    ///     the entity has several.
    ///
    /// - Throws: as `execute(_:)`.
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count, from rows: [[String: (any Sendable)?]]
        ) async throws -> BatchInsertResult<Object>
    {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result)
        return try await perform { context in
            try context.insert(target, rows)
        }
    }

    /// Inserts the rows of a sequence, which is run through once on one of the container's threads; it may block.
    ///
    /// As `insert(into:from:)` with an array, but no more than a few rows are in memory at a time. If the sequence is no
    /// array, the insertion is not repeated after a lost deadlock: `SaveError.deadlock` is thrown, and nothing is stored.
    ///
    /// - Throws: as `execute(_:)`.
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject, Rows: Sequence & SendableMetatype, V>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count, from rows: sending Rows
        ) async throws -> BatchInsertResult<Object>
    where Rows.Element == [String: V], Rows.Iterator: SendableMetatype {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result)
        // Sound: sent here, and used by the body only, which runs once.
        nonisolated(unsafe) let rows = rows
        return try await perform { context in
            if let rows = rows as? [[String: V]] { return try context.insert(target, rows) }
            let leastCount = rows.underestimatedCount
            var iterator = rows.makeIterator()
            return try context.insert(target, leastCount: leastCount) { iterator.next() }
        }
    }

    /// Inserts the rows of an asynchronous sequence, in one transaction that begins when the sequence has
    /// ended.
    ///
    /// As `insert(into:from:)` with an array. The rows are collected in about a MiB of memory, and beyond it
    /// in a temporary file. Meanwhile the call holds no thread, connection or transaction of the container,
    /// so that the rows may come from the same container. A row that does not fit the model ends the call at
    /// once; the database sees the rows after the last one.
    ///
    /// The call returns as soon as its task is cancelled, also if the sequence ignores that. The sequence
    /// then ends when it brings its next row.
    ///
    /// - Throws: as `execute(_:)`, and the error of the sequence; `CancellationError`; `StoreError` with
    ///   `streamIdle` if the sequence brings no row for ``StoreOptions/streamIdleTimeout``, with `closed` if
    ///   the container is closed meanwhile, and with `temporaryFile`. After any of them nothing is stored.
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject, Rows: AsyncSequence & SendableMetatype, V: Sendable>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count, from rows: sending Rows
        ) async throws -> BatchInsertResult<Object>
    where Rows.Element == [String: V], Rows.AsyncIterator: SendableMetatype {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result)
        let (layout, _) = try ManagedObjectContext(store: store).resolve(target, type)
        let spool = Spool(directory: store.settings.temporaryDirectory)
        defer { spool.close() }
        // Sound: sent here, and used by the body only, which runs once.
        nonisolated(unsafe) let rows = rows
        let count = try await store.stream(with: .source) { [store] session in
            var spooler = RowSpooler(layout, in: store, to: spool)
            for try await row in rows {
                try session.advance()
                try spooler.add(row)
            }
            try spooler.flush()
            return spooler.count
        }
        return try await perform { context in
            try context.repeatingDeadlocks {
                spool.rewind()
                var rows = SpooledRows(spool)
                return try context.insert(target, leastCount: count) { try rows.next() }
            }
        }
    }
}
