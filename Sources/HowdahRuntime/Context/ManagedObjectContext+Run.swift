import Logging
import PQClient

extension ManagedObjectContext {
    /// Runs `body` as one unit of work, with one connection, and in one transaction if the unit requires it.
    ///
    /// If a fault could not be filled, its error is thrown instead of returning the result. A run inside a
    /// run is a part of the outer unit.
    package func run<T>(_ unit: UnitOfWork, _ body: (ManagedObjectContext) throws -> T) throws -> T {
        try backing.run(unit, of: self) { try body(self) }
    }

    /// Runs `body` as a unit of work of this context, which uses the database directly.
    func conduct<T>(_ unit: UnitOfWork, _ body: () throws -> T) throws -> T {
        if let outer = self.unit {
            precondition(
                !unit.isTransaction || outer.isTransaction,
                "A perform inside another perform cannot open a transaction. Pass the isolation to the outer perform."
            )
            return try outer.run(until: unit.deadline) { try body() }
        }
        work(in: unit)
        let chain = ThreadChain.current
        let outer = chain.scope
        chain.scope = unit.scope
        watchIfAsked()
        defer {
            chain.scope = outer
            unit.end()
            work(in: nil)
            forgetFailure()
        }
        do {
            let result: T
            do {
                try mergeInbox()
                result = try chain.inBody(body)
                endEvent()
            } catch {
                let cause = failure ?? error
                endEvent()
                throw cause
            }
            try throwFailure()
            try unit.commit()
            return result
        } catch {
            unit.rollback()
            takeEvent()
            throw refusal(of: error, unit) ?? closing(error) ?? error.asCancellation
        }
    }

    /// Returns the error to throw instead if the store was destroyed, or migrated to an incompatible model.
    private func refusal(of error: any Error, _ unit: UnitOfWork) -> StoreError? {
        let mark = store.mark.flatMap { $0.concerns(error) ? $0 : nil }
        let watch = store.watch.flatMap { $0.concerns(error, in: store.layouts) ? $0 : nil }
        guard mark != nil || watch != nil else { return nil }
        unit.end()
        return unit.afterwards(within: ModelWatch.patience) {
            mark?.refusal(of: error, $0) ?? watch?.refusal(of: error, in: store.layouts, $0)
        }
    }

    /// Returns the error to throw instead if the container was closed and cut the unit off after the draining time.
    private func closing(_ error: any Error) -> StoreError? {
        guard store.admission.isClosed, let cause = error.serverError else { return nil }
        // The outcome of a save is its own error. That of the program's SQL is in the cause.
        if cause.mayHaveCommitted, !(error is FetchError) { return nil }
        switch cause.code {
        case .connectionLost, .cancelled, .poolClosed: return StoreError.closed(cause)
        default: return nil
        }
    }

    /// Logs a warning about the changes that a one-off unit of work is about to lose.
    func warnAboutUnsavedChanges() {
        guard hasChanges else { return }
        // What was set to the value that it had is not dropped.
        let updated = updatedObjects.count { !$0.changedPropertyNames.isEmpty }
        guard !insertedObjects.isEmpty || !deletedObjects.isEmpty || updated > 0 else { return }
        store.log.logger.warning(
            "Unsaved changes were discarded at the end of perform. Call save() in the body of perform.",
            metadata: [
                "inserted": "\(insertedObjects.count)", "updated": "\(updated)",
                "deleted": "\(deletedObjects.count)",
            ])
    }
}

extension Error {
    /// The error that the caller gets: `CancellationError` if a statement was cancelled with its task.
    var asCancellation: any Error {
        let cause =
            (self as? FetchError)?.databaseError ?? (self as? SaveError)?.databaseError
            ?? (self as? StoreError)?.databaseError ?? (self as? HistoryError)?.databaseError ?? self
            as? PostgresError
        guard let cause, cause.code == .cancelled, !cause.mayHaveCommitted, Task.isCancelled else {
            return self
        }
        return CancellationError()
    }
}
