public import HowdahModel
import PQClient

extension ManagedObjectContext {
    /// Inserts rows without making objects of them.
    ///
    /// Blocks for two to four round trips and as long as the rows take. They go by COPY, one statement for all of them, or
    /// for up to 65,536 where their keys are asked for; with a policy for unique values in chunks of 1,000 with `ON
    /// CONFLICT`. All is one transaction, or one savepoint inside of that of `perform`: a row that is refused, and an error
    /// of the generator, leave nothing. Ids ascend in the order of the rows.
    ///
    /// With a policy, the rows of a chunk are written in the order of their unique values. If the insertion loses a deadlock
    /// and is no part of a transaction of `perform`, it is repeated, up to five times in all. A generator cannot be: then
    /// `SaveError.deadlock` is thrown, and nothing is stored.
    ///
    /// Required properties and values that do not fit are refused here, the other rules of the model by the database; hooks
    /// are not called, and counts of relationships are not looked at. Derived attributes, versions of owners and places
    /// in ordered relationships are kept right: new members come last. Objects that this context knows are not told;
    /// give the `notice` of the result to ``mergeChanges(from:)``.
    ///
    /// Source: Core Data's `execute(_:)` with an `NSBatchInsertRequest`.
    ///
    /// - Throws: `FetchError` with `unknownEntity` or `invalidRequest` for names that do not fit the model; `SaveError` with
    ///   `validation`, `uniqueness`, `referentialIntegrity`, `readOnly`, `deadlock`, `outcomeUnknown` or `database`, whose issues
    ///   say which row it was where that is known; what the generator throws; `CancellationError`.
    @discardableResult
    public func execute<Object: ManagedObject>(
        _ request: BatchInsertRequest<Object>
    ) throws -> BatchInsertResult<Object> {
        let target = BatchTarget(
            entityName: request.entityName, uniqueness: request.uniqueness ?? mergePolicy.mergeType,
            arbiter: request.arbiter, resultType: request.resultType)
        switch request.source {
        case .rows(let rows):
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

    /// Inserts rows that can be read again: where that loses a deadlock, from the first one.
    func insert<Object: ManagedObject, Rows: Collection>(
        _ target: BatchTarget, _ rows: Rows
    ) throws -> BatchInsertResult<Object> where Rows.Element: BatchRow {
        try repeatingDeadlocks {
            var iterator = rows.makeIterator()
            return try insert(target, leastCount: rows.count) { iterator.next() }
        }
    }

    /// Inserts what `next` brings until it brings nothing, once.
    func insert<Object: ManagedObject, Row: BatchRow>(
        _ target: BatchTarget, leastCount: Int, _ next: () throws -> Row?
    ) throws -> BatchInsertResult<Object> {
        try throwFailure()
        let (layout, arbiter) = try resolve(target, Object.self)
        let isFollowed = followed.hasListeners(besides: nil)
        let needsIDs = target.resultType.bringsIDs || isFollowed
        unit?.noteWriting()
        let outcome = try inTransaction { transaction, connection in
            var insertion = BatchInsertion(
                layout, arbiter, needsIDs: needsIDs, leastCount: leastCount, self, transaction, connection)
            try insertion.run(next)
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
            insertedObjectIDs: bringsIDs ? inserted.ids() : [],
            updatedObjectIDs: bringsIDs ? updated.ids() : [])
    }

    /// The entity that rows go to, and the uniqueness constraint by which they meet others.
    ///
    /// - Throws: `FetchError` for names that do not fit the model, `SaveError` for rows that cannot be
    ///   inserted.
    func resolve<Object: ManagedObject>(
        _ target: BatchTarget, _ type: Object.Type
    ) throws -> (EntityLayout, BatchArbiter?) {
        let layout = try layout(for: FetchRequest<Object>(entityName: target.entityName))
        if layout.isAbstract {
            throw FetchError(
                .invalidRequest, "\(layout.name) is abstract, so no row is of it; insert into a sub-entity.")
        }
        try ReadOnlyRows(layouts).checkInsertion(into: layout)
        let arbiter = try BatchArbiter(
            target.uniqueness, named: target.arbiter, for: layout, in: store.layouts)
        return (layout, arbiter)
    }

    /// Does something in one transaction, or in one savepoint of that of the unit of work, and commits it.
    ///
    /// - Throws: what `body` throws, and nothing is stored; `SaveError` for a COMMIT that got no answer, and if there is no
    ///   connection to be had.
    func inTransaction<T>(_ body: (SaveTransaction, Connection) throws -> T) throws -> T {
        do {
            return try transact(body)
        } catch let error as PostgresError {
            throw BatchFailure(store.layouts).error(error) { _ in nil }
        }
    }

    private func transact<T>(_ body: (SaveTransaction, Connection) throws -> T) throws -> T {
        try withConnection { connection in
            let isNested = unit?.isTransaction ?? false
            let token = isNested ? nil : store.tokens?.next()
            let transaction = SaveTransaction(
                connection, isNested: isNested, token: token, defersConstraints: false, in: store.mark)
            let result: T
            do {
                // Batches take as long as they need.
                result = try connection.withoutStatementTimeout { try body(transaction, connection) }
            } catch {
                transaction.abandon()
                throw error
            }
            do {
                try transaction.endIfBegun()
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
    /// Whether what becomes of a stored row depends on which properties a new one names.
    fileprivate var isByProperty: Bool {
        self == .mergeByPropertyObjectTrump || self == .mergeByPropertyStoreTrump
    }
}

/// Where a batch insertion goes, and how.
struct BatchTarget: Sendable {
    var entityName: String?
    var uniqueness: MergePolicy.MergeType
    var arbiter: [String]
    var resultType: BatchResultType
}
