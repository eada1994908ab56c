public import HowdahModel

extension PersistentContainer {
    /// Inserts rows without making objects of them, in one transaction.
    ///
    /// ```swift
    /// try await container.insert(into: Employee.self, from: [["firstName": "Ada", "salary": 100]])
    /// ```
    /// A row is a dictionary. Its keys are the names of attributes, the names of to-one relationships, which
    /// take an `ObjectID`, or dotted paths into composites. If a row does not name a property, the property
    /// gets the model's default. For rules, costs and errors see `execute(_:)` of ``ManagedObjectContext``
    /// with a ``BatchInsertRequest``.
    ///
    /// - Parameters:
    ///   - entityName: The entity; nil for the entity of `Object`.
    ///   - uniqueness: The policy for rows with unique values that a stored row has.
    ///   - arbiter: The properties of the uniqueness constraint that identifies stored rows. You need it if
    ///     the entity has several.
    ///
    /// - Throws: The errors of `execute(_:)`.
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

    /// Inserts the rows of a sequence, which is iterated once on one of the container's threads; it may
    /// block.
    ///
    /// It works as `insert(into:from:)` with an array, but only a few rows are in memory at a time. If the
    /// sequence is not an array, the insertion is not repeated after a lost deadlock. Then
    /// `SaveError.deadlock` is thrown, and nothing is stored.
    ///
    /// - Throws: The errors of `execute(_:)`.
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
