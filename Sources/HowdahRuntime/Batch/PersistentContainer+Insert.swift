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
            var iterator = rows.makeIterator()
            return try context.insert(target, leastCount: rows.count) { iterator.next() }
        }
    }

    /// Inserts the rows of a sequence, which is run through once on one of the container's threads; it may block.
    ///
    /// As `insert(into:from:)` with an array, but no more than a few rows are in memory at a time.
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
            let leastCount = rows.underestimatedCount
            var iterator = rows.makeIterator()
            return try context.insert(target, leastCount: leastCount) { iterator.next() }
        }
    }

    /// Inserts the rows of a stream as they come, in one transaction that is open as long as the stream runs.
    ///
    /// As `insert(into:from:)` with an array. Some thousand rows are in memory at a time: the stream is asked for more when
    /// the database has taken those before.
    ///
    /// - Throws: as `execute(_:)`, and what the stream throws; both, and the cancellation of the task, leave nothing in the
    ///   database.
    @discardableResult
    nonisolated(nonsending)
        public func insert<Object: ManagedObject, Rows: AsyncSequence & SendableMetatype, V: Sendable>(
            into type: Object.Type, entityName: String? = nil, uniqueness: MergePolicy.MergeType = .error,
            arbiter: [String] = [], result: BatchResultType = .count, from rows: sending Rows
        ) async throws -> BatchInsertResult<Object>
    where Rows.Element == [String: V], Rows.AsyncIterator: SendableMetatype {
        let target = BatchTarget(
            entityName: entityName, uniqueness: uniqueness, arbiter: arbiter, resultType: result)
        let channel = RowChannel<[String: V]>()
        // Sound: sent here, and used by the task only.
        nonisolated(unsafe) let rows = rows
        let producer = Task { await channel.fill(from: rows) }
        let outcome: Result<BatchInsertResult<Object>, any Error>
        do {
            let inserted: BatchInsertResult<Object> = try await withTaskCancellationHandler {
                try await perform { context in
                    let chunk = RowChunk<[String: V]>()
                    return try context.insert(
                        target, leastCount: 0, mayWait: { chunk.rows.isEmpty }
                    ) { () -> [String: V]? in
                        while chunk.rows.isEmpty {
                            guard let next = try channel.next() else { return nil }
                            chunk.rows = next[...]
                        }
                        return chunk.rows.popFirst()
                    }
                }
            } onCancel: {
                channel.finish(throwing: CancellationError())
            }
            outcome = .success(inserted)
        } catch {
            outcome = .failure(error)
        }
        channel.close()
        producer.cancel()
        await producer.value
        return try outcome.get()
    }
}

extension RowChannel {
    /// Sends what a sequence brings, until it ends or nobody takes more.
    fileprivate func fill<Rows: AsyncSequence & SendableMetatype>(from rows: Rows) async
    where Rows.Element == Row, Rows.AsyncIterator: SendableMetatype {
        do {
            var chunk: [Row] = []
            chunk.reserveCapacity(Self.chunkSize)
            for try await row in rows {
                chunk.append(row)
                guard chunk.count == Self.chunkSize else { continue }
                guard await send(chunk) else { return }
                chunk.removeAll(keepingCapacity: true)
            }
            if !chunk.isEmpty, await !send(chunk) { return }
            finish()
        } catch {
            finish(throwing: error)
        }
    }
}

/// The rows that were taken from a channel and not inserted yet.
private final class RowChunk<Row> {
    var rows: ArraySlice<Row> = []
}
