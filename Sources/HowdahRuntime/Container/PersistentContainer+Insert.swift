public import HowdahModel

extension PersistentContainer {
    /// Inserts rows without making objects of them, in one transaction.
    ///
    /// ```swift
    /// try await container.insert(into: Employee.self, from: [["firstName": "Ada", "salary": 100]])
    /// ```
    /// A row is a dictionary. Its keys are the names of attributes, the names of to-one relationships, which
    /// take an `ObjectID`, or dotted paths into composites. If a row does not name a property, the property
    /// gets the model's default, or the initial value of its class. For rules, costs and errors see
    /// `execute(_:)` of ``ManagedObjectContext`` with a ``BatchInsertRequest``.
    ///
    /// - Parameters:
    ///   - entityName: The entity; nil for the entity of `Object`.
    ///   - uniqueness: The policy for rows with unique values that a stored row has.
    ///   - arbiter: The properties of the uniqueness constraint that identifies stored rows. You need it if
    ///     the entity has several.
    ///   - refusedRows: The treatment of rows that the model or the database refuses. By default the first one
    ///     makes the insertion fail.
    ///
    /// - Throws: The errors of `execute(_:)`.
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count,
            refusedRows: RefusedRowPolicy = .fail, from rows: [BatchInsertRow]
        ) async throws -> BatchInsertResult<Object>
    {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result,
            refusedRows: refusedRows)
        return try await perform { context in
            try context.insert(target, rows)
        }
    }

    /// Inserts rows whose values can be nil, also in literals.
    ///
    /// - Throws: The errors of `execute(_:)`.
    @_disfavoredOverload
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count,
            refusedRows: RefusedRowPolicy = .fail, from rows: [[String: (any Sendable)?]]
        ) async throws -> BatchInsertResult<Object>
    {
        try await insert(
            into: type, entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, result: result,
            refusedRows: refusedRows, from: rows.map { BatchInsertRow($0) })
    }

    /// Inserts the rows of a sequence, which is iterated once on one of the container's threads; it may
    /// block.
    ///
    /// It works as `insert(into:from:)` with an array, but only a few rows are in memory at a time. If the
    /// sequence is not an array, the insertion is not repeated after a lost deadlock. Then
    /// `SaveError.deadlock` is thrown, and nothing is stored.
    ///
    /// - Throws: The errors of `execute(_:)`.
    @_disfavoredOverload
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject, Rows: Sequence & SendableMetatype, V>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count,
            refusedRows: RefusedRowPolicy = .fail, from rows: sending Rows
        ) async throws -> BatchInsertResult<Object>
    where Rows.Element == [String: V], Rows.Iterator: SendableMetatype {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result,
            refusedRows: refusedRows)
        // Sound: sent here, and used by the body only, which runs once.
        nonisolated(unsafe) let rows = rows
        return try await perform { context in
            if let rows = rows as? [[String: V]] { return try context.insert(target, rows) }
            let leastCount = rows.underestimatedCount
            var iterator = rows.makeIterator()
            return try context.insert(target, leastCount: leastCount) { iterator.next() }
        }
    }
}
