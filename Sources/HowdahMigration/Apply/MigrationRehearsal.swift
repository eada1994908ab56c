package import HowdahModel
package import PQClient

/// Does a whole migration in one transaction, each stage after a savepoint, and undoes it.
///
/// Handlers find `howdah.rehearsal` set to `on`. What cannot be undone is not touched but for sequences: ids that handlers
/// take stay taken. On a store that is in use it locks what the migration locks, all stages together.
package struct MigrationRehearsal {
    private let connection: Connection
    private let path: MigrationPath
    private let target: ManagedObjectModel
    private let schemaName: String
    private let options: MigrationOptions
    /// After how long it cancels itself; nil for never.
    private let budget: Duration?
    /// Is told what happens, on the thread that rehearses.
    package var observer: MigrationObserver?

    /// On a session of its own, which nothing else uses meanwhile.
    package init(
        _ connection: Connection, _ path: MigrationPath, to target: ManagedObjectModel,
        schemaName: String = "public", options: MigrationOptions = MigrationOptions(),
        budget: Duration? = nil
    ) {
        self.connection = connection
        self.path = path
        self.target = target
        self.schemaName = schemaName
        self.options = options
        self.budget = budget
    }

    /// What came of it; the store is as it was, whatever that is.
    ///
    /// - Throws: `MigrationError` where it could not begin, or was cancelled from outside.
    package func run() throws -> RehearsalReport {
        try MigrationError.wrapping {
            let lock = MigrationLock(connection: connection, schemaName: schemaName)
            try lock.take(within: options.lockBudget, observer)
            defer { lock.release() }
            let record = try StoreRecord.migratable(in: schemaName, on: connection)
            let legs = try path.legs(
                from: record.migratableModel(), to: target, schemaName: schemaName,
                confirmedDrops: options.confirmedDrops)
            let aftermath = "The store is as it was"
            return try LockRetry(
                budget: options.lockBudget, timeout: options.lockTimeout, aftermath: aftermath,
                canceller: connection.canceller
            ).run { try rehearse(legs, aftermath) }
        }
    }

    private func rehearse(_ legs: [MigrationPath.Leg], _ aftermath: String) throws -> RehearsalReport {
        var report = RehearsalReport()
        report.stageCount = legs.count
        let start = ContinuousClock.now
        if let budget { connection.deadline = start.advanced(by: budget) }
        defer { connection.deadline = nil }
        try connection.begin()
        do {
            for (number, leg) in legs.enumerated() {
                let position = StagePosition(number: number + 1, count: legs.count, label: leg.hop.label)
                let stage = StageTransaction(
                    connection: connection, source: leg.sourceModel, target: leg.destinationModel,
                    plan: leg.plan, label: leg.hop.label, handlers: leg.hop.handlers,
                    lockTimeout: options.lockTimeout, aftermath: aftermath, position: position,
                    observer: observer)
                report.stages.append(RehearsalReport.Stage(label: leg.hop.label))
                report.ending = try stage.rehearse(&report.stages[number])
                if report.ending != nil { break }
            }
        } catch let error as PostgresError where error.code == .deadlineExceeded {
            report.ending = "cancelled itself after \(budget ?? .zero), \(Self.place(report))"
        } catch let error as MigrationError {
            let code = (error.underlying ?? error.cause as? PostgresError)?.code
            if code == .cancelled {
                try? connection.rollback()
                throw error
            }
            let isLate = connection.deadline.map { $0 <= .now } ?? false
            report.ending =
                isLate ? "cancelled itself after \(budget ?? .zero), \(Self.place(report))" : "\(error)"
        } catch {
            // The error that led here is the one to report.
            try? connection.rollback()
            if let error = error as? PostgresError, error.isOfLocks {
                throw LockFailure(underlying: error, table: nil, holders: [])
            }
            throw error
        }
        try connection.rollback()
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    private static func place(_ report: RehearsalReport) -> String {
        let steps = report.stages.last?.steps.count ?? 0
        return "in stage \(report.stages.count) of \(report.stageCount) after \(steps) steps"
    }
}
