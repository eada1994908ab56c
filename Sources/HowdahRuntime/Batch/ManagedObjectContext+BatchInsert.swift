import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Inserts rows without making objects of them.
    ///
    /// The call blocks for two to four round trips and for the time that the rows take. They are sent by
    /// COPY, in one statement, or in one for up to 65,536 rows if you request their ids. With a policy for
    /// unique values they are sent in chunks of 1,000 with `ON CONFLICT`. All is one transaction, or one
    /// savepoint inside of that of `perform`. If a row is refused, or the generator throws, nothing is
    /// stored. Ids ascend in the order of the rows.
    ///
    /// With a policy, the rows of a chunk are written in the order of their unique values. If the insertion
    /// loses a deadlock and is not part of a transaction of `perform`, it is repeated, up to five times in
    /// all. A generator cannot be repeated: then `SaveError.deadlock` is thrown, and nothing is stored.
    ///
    /// If the request collects refused rows, all others are stored. The rows are then sent 2,000 at a time, and
    /// a statement that the database refuses is repeated in parts, each in a savepoint.
    ///
    /// This call checks required properties and types; the database checks the other rules of the model.
    /// Hooks are not called, and counts of relationships are not checked. Derived attributes, versions of
    /// owners and places in ordered relationships are updated: new members are last. Objects that this
    /// context knows are not notified; pass the result's `notice` to `mergeChanges(from:)`.
    ///
    /// Source: Core Data's `execute(_:)` with an `NSBatchInsertRequest`.
    ///
    /// - Throws: `FetchError` with `unknownEntity` or `invalidRequest` for names that do not fit the model.
    ///   `SaveError` with `validation`, `uniqueness`, `referentialIntegrity`, `readOnly`, `deadlock`,
    ///   `outcomeUnknown` or `database`; its issues name the row if it is known. The error of the generator.
    ///   `CancellationError`.
    @discardableResult
    public func execute<Object: ManagedObject>(
        _ request: BatchInsertRequest<Object>
    ) throws -> BatchInsertResult<Object> {
        let target = BatchTarget(
            entityName: request.entityName, uniqueness: request.uniqueness ?? mergePolicy.mergeType,
            arbiter: request.arbiter, resultType: request.resultType,
            refusedRows: request.refusedRows)
        switch request.source {
        case .rows(let rows):
            return try insert(target, rows)
        case .literals(let rows):
            return try insert(target, rows)
        case .generator(let fill):
            return try insert(target, leastCount: 0) {
                var row: [String: Any] = [:]
                return try fill(&row) ? nil : row
            }
        case .objects(let fill):
            let layout = try layout(for: FetchRequest<Object>(entityName: target.entityName))
            let meetsRows =
                try BatchArbiter(target.uniqueness, named: target.arbiter, for: layout, in: store.layouts)
                != nil
            let rows = try ScratchRows<Object>(
                layout, self, namesAll: !(meetsRows && target.uniqueness.isByProperty))
            return try insert(target, leastCount: 0) { try rows.next(fill) }
        }
    }

    /// Inserts rows that can be read again. If the insertion loses a deadlock, it starts again from the first
    /// row.
    func insert<Object: ManagedObject, Rows: Collection>(
        _ target: BatchTarget, _ rows: Rows
    ) throws -> BatchInsertResult<Object> where Rows.Element: BatchRow {
        try repeatingDeadlocks {
            var iterator = rows.makeIterator()
            return try insert(target, leastCount: rows.count) { iterator.next() }
        }
    }

    /// Inserts the rows that `next` returns until it returns nil, once.
    ///
    /// - Parameter refused: The rows that were refused before, and are not in the spool.
    func insert<Object: ManagedObject, Row: BatchRow>(
        _ target: BatchTarget, leastCount: Int, refused: RefusedRowList? = nil, _ next: () throws -> Row?
    ) throws -> BatchInsertResult<Object> {
        try throwFailure()
        try checkNoOpenWriting("execute(_:)")
        let (layout, arbiter) = try resolve(target, Object.self)
        let refused = try refused ?? RefusedRowList(target.refusedRows, of: layout)
        let isFollowed = followed.hasListeners(besides: nil)
        let needsIDs = target.resultType.bringsIDs || isFollowed
        unit?.noteWriting()
        let computed = InitialValues(layout, self)
        defer { computed?.release(from: self) }
        let outcome = try inTransaction { transaction, connection in
            var insertion = BatchInsertion(
                layout, arbiter, needsIDs: needsIDs, leastCount: leastCount, computed: computed,
                refused: refused, self,
                transaction, connection)
            try insertion.run(next)
            if store.history != nil { insertion.noteHistory() }
            return insertion.outcome
        }
        if outcome.insertedCount + outcome.updatedCount > 0 { unit?.noteStoring() }
        store.sizes.add(outcome.insertedCount, root: layout.root)
        let inserted = BatchOutcome.Rows(layout: layout, keys: needsIDs ? outcome.insertedKeys : [])
        let updated = BatchOutcome.Rows(layout: layout, keys: outcome.updatedKeys.sorted())
        if isFollowed { tell(inserted: [inserted], updated: [updated] + outcome.followers) }
        let bringsIDs = target.resultType.bringsIDs
        return BatchInsertResult(
            insertedCount: outcome.insertedCount, updatedCount: outcome.updatedCount,
            skippedCount: outcome.skippedCount, refused: outcome.refused,
            insertedObjectIDs: bringsIDs ? inserted.ids() : [],
            updatedObjectIDs: bringsIDs ? updated.ids() : [])
    }

    /// Returns the entity of the rows, and the uniqueness constraint that identifies stored rows.
    ///
    /// - Throws: `FetchError` for names that do not fit the model, `SaveError` for rows that cannot be
    ///   inserted.
    func resolve<Object: ManagedObject>(
        _ target: BatchTarget, _ type: Object.Type
    ) throws -> (EntityLayout, BatchArbiter?) {
        try store.checkWritable()
        let layout = try layout(for: FetchRequest<Object>(entityName: target.entityName))
        if layout.isAbstract {
            throw FetchError(
                .invalidRequest, "\(layout.name) is abstract. Insert into one of its sub-entities.")
        }
        try ReadOnlyRows(layouts).checkInsertion(into: layout)
        let arbiter = try BatchArbiter(
            target.uniqueness, named: target.arbiter, for: layout, in: store.layouts)
        return (layout, arbiter)
    }

    /// Runs `body` in one transaction, or in one savepoint of that of the unit of work, and commits it.
    ///
    /// - Parameter call: The call, whose code of the program must not save.
    /// - Throws: The error of `body`, and nothing is stored. `SaveError` if a COMMIT got no answer, or if no
    ///   connection is available.
    func inTransaction<T>(
        for call: OpenCall = .batch, _ body: (SaveTransaction, Connection) throws -> T
    ) throws -> T {
        do {
            return try changes.opening(call) { try transact(body) }
        } catch let error as PostgresError {
            throw BatchFailure(store.layouts).error(error) { _ in nil }
        }
    }

    private func transact<T>(_ body: (SaveTransaction, Connection) throws -> T) throws -> T {
        try withConnection { connection in
            let isNested = unit?.isTransaction ?? false
            let token = isNested ? nil : store.tokens?.next()
            let transaction = SaveTransaction(
                connection, isNested: isNested, token: token, defersConstraints: false, in: store)
            let result: T
            do {
                try (unit?.closing as? UnitHistory)?.find(by: transaction)
                // Batches take as long as they need.
                result = try connection.withoutStatementTimeout { try body(transaction, connection) }
            } catch let error as PostgresError where error.mayHaveCommitted {
                // COMMIT was in the round trip of the last statement.
                let isStored = try store.wasStored(
                    token?.uuid, backend: connection.backendProcessID, deadline: connection.deadline,
                    after: error)
                guard isStored else { throw Store.notCommitted(error) }
                throw SaveError(
                    .outcomeUnknown,
                    "The connection was lost after COMMIT. The batch was committed, and its result is lost. Fetch the "
                        + "objects to find it out.", databaseError: error)
            } catch {
                transaction.abandon()
                throw error
            }
            do {
                let history = isNested ? nil : try historyRows(transaction.stored, .batch)?.statements()
                try transaction.endIfBegun(with: history ?? [])
                if isNested { noteHistory(transaction.stored, .batch) }
            } catch let error as PostgresError where error.mayHaveCommitted {
                let isStored = try store.wasStored(
                    token?.uuid, backend: connection.backendProcessID, deadline: connection.deadline,
                    after: error)
                guard isStored else { throw Store.notCommitted(error) }
            } catch {
                transaction.abandon()
                throw BatchFailure(store.layouts).error(error) { _ in nil }
            }
            return result
        }
    }
}

extension MergePolicy.MergeType {
    /// A Boolean value that indicates whether the effect on a stored row depends on the properties that a new
    /// one names.
    fileprivate var isByProperty: Bool {
        self == .mergeByPropertyObjectTrump || self == .mergeByPropertyStoreTrump
    }
}

/// The target of a batch insertion, and its settings.
struct BatchTarget: Sendable {
    var entityName: String?
    var uniqueness: MergePolicy.MergeType
    var arbiter: [String]
    var resultType: BatchResultType
    var refusedRows = RefusedRowPolicy.fail
}
