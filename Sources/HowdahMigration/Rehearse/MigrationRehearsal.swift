internal import HowdahModel
internal import HowdahSchema
package import PQClient

/// Runs all stages of a migration in one transaction, each after a savepoint, and rolls it back.
///
/// Handlers find `howdah.rehearsal` set to `on`. Only sequences are not rolled back: ids that handlers take stay taken. On a
/// store that is in use, the tables are locked as in the migration, for all stages together.
final class MigrationRehearsal: MigrationEnd {
    /// The time after which the rehearsal cancels itself; nil for never.
    private let budget: Duration?
    private let limit: ContinuousClock.Instant?
    let notes: RehearsalNotes
    private var isAbandoned = false

    private static let aftermath = "The store is unchanged"

    init(budget: Duration?, _ observer: MigrationObserver?) {
        self.budget = budget
        limit = budget.map { ContinuousClock.now.advanced(by: $0) }
        notes = RehearsalNotes(observer)
    }

    /// Pending work is rehearsed in the transaction.
    func pending(_ work: DeferredWork, before plan: MigrationPlan) throws -> GivenUpWork {
        try work.givenUp(by: plan)
    }

    func perform(
        _ stages: [MigrationPath.PlannedStage], _ givenUp: GivenUpWork?, of migration: StoreMigration,
        within lockBudget: Duration, _ body: @escaping (StageTransaction) throws -> Void
    ) throws {
        var migration = migration
        migration.observer = notes.tell
        isAbandoned = try !supervise(migration.connection) { [self, migration] in
            try LockRetry(
                budget: lockBudget, timeout: migration.options.lockTimeout, aftermath: Self.aftermath,
                canceller: migration.connection.canceller, observer: migration.observer
            ).run { try attempt(stages, givenUp, migration, waiting: $0, body) }
        }
    }

    /// Each stage has rehearsed its online work, and without stages that of an interrupted run is rehearsed.
    func online(_ work: DeferredWork) {}

    func release(_ lock: MigrationLock) { if !isAbandoned { lock.release() } }

    /// The time after the budget that the end of a cancelled rehearsal may take, with the server's rollback.
    private static let grace = Duration.seconds(3)

    /// Runs `body`, and cancels it when the budget is spent; false if it did not end then.
    private func supervise(_ connection: Connection, _ body: @escaping () throws -> Void) throws -> Bool {
        let sessionShutdown = connection.makeSessionShutdown()
        let task = SupervisedTask(body)
        if try task.wait(until: limit) { return true }
        task.cancel()
        if try task.wait(until: .now + Self.grace) { return true }
        notes.abandon(after: budget ?? .zero)
        sessionShutdown?.shutDown()
        return false
    }

    private func attempt(
        _ stages: [MigrationPath.PlannedStage], _ givenUp: GivenUpWork?, _ migration: StoreMigration,
        waiting patience: Duration, _ body: (StageTransaction) throws -> Void
    ) throws {
        let connection = migration.connection
        // A step that is given up may be in the way of the others, which then belong to the first stage.
        let pending =
            try stages.isEmpty
            ? migration.onlineSteps() : givenUp.map { $0.steps.isEmpty ? $0.leftovers : [] } ?? []
        if stages.isEmpty, !pending.isEmpty {
            try MigratingRole(connection: connection, schemaName: migration.schemaName).check()
        }
        let first = pending.isEmpty ? 0 : 1
        let count = stages.count + first
        notes.begin(stages: count)
        connection.deadline = limit
        defer { connection.deadline = nil }
        do {
            try connection.begin()
            let settings = try SessionSettings(of: connection)
            let known = try StageRehearsal.tables(in: migration.schemaName, on: connection)
            var foreign: Set<RehearsalReport.Lock> = []
            func stage(_ planned: MigrationPath.PlannedStage, _ number: Int, _ label: String)
                -> StageTransaction
            {
                StageTransaction(
                    planned, at: StagePosition(number: number, count: count, label: label), of: migration,
                    givenUp: number == 1 ? givenUp : nil, waiting: patience, aftermath: Self.aftermath,
                    conduct: StageRehearsal(notes, known: known, foreign: foreign))
            }
            if !pending.isEmpty {
                let model = stages.first?.sourceModel ?? migration.target
                let work = stage(
                    .holding(pending, of: model, in: migration.schemaName), 1, StageRehearsal.pendingLabel)
                foreign = try StageRehearsal(notes, known: known, foreign: []).run(
                    pending: pending, work, beforeStages: !stages.isEmpty)
            }
            for (place, planned) in stages.enumerated() {
                let stage = stage(
                    planned, place + 1 + first, planned.stage.label.isEmpty ? "inferred" : planned.stage.label
                )
                stage.settings = settings
                try planned.naming(stage.position, Self.aftermath) { try run(stage, body) }
            }
            try connection.rollback()
            notes.end(nil)
        } catch {
            try end(with: error, on: connection)
        }
    }

    private func run(_ stage: StageTransaction, _ body: (StageTransaction) throws -> Void) throws {
        let connection = stage.connection
        notes.begin(stage: stage.label)
        stage.observer?(.stageBegan(stage.position, stage.plan))
        try connection.savepoint("howdah_stage")
        do {
            try body(stage)
        } catch let error as PostgresError
            where stage.wanted != nil && (error.isOfLocks || error.code == .deadlineExceeded)
        {
            // The session is asked who holds the lock after the deadline, too.
            connection.deadline = nil
            try connection.rollback(toSavepoint: "howdah_stage")
            throw stage.failure(error)
        }
        stage.observer?(.stageEnded(stage.position))
    }

    private func end(with error: any Error, on connection: Connection) throws {
        let isLate = limit.map { $0 <= .now } ?? false
        // The error that led here is the one to report.
        try? connection.rollback()
        if let ending = error as? RehearsalEnding { return notes.end(ending.reason) }
        if isLate {
            let reason = (error as? LockFailure).map { ": \($0.reason)" } ?? ""
            return notes.end(
                notes.lateness(after: budget ?? .zero) + reason + ". Rehearse again with a longer budget."
            )
        }
        switch error {
        case let error as MigrationError:
            let reason = error.databaseError ?? error.underlyingError as? PostgresError
            if reason?.code == .cancelled { throw error }
            return notes.end("\(error)", reason)
        case let error as PostgresError where error.isOfLocks:
            throw LockFailure(databaseError: error, table: nil, holders: [])
        default: throw error
        }
    }
}

extension MigrationRehearsal {
    /// The setting by which scripts know that their changes are rolled back.
    static let setting = "howdah.rehearsal"
}

extension StoreMigration {
    /// Runs the whole migration in one transaction, rolls it back, and reports durations, rows and locks.
    ///
    /// Handlers run in a task, which is cancelled when the budget is spent. If a handler continues nevertheless, the
    /// session is closed, and the report says so (``RehearsalReport/isAbandoned``).
    ///
    /// - Parameter budget: The time after which the rehearsal cancels itself; nil for never.
    /// - Throws: `MigrationError` if it could not begin, or was cancelled by the caller.
    package func rehearse(budget: Duration? = nil) throws -> RehearsalReport {
        try MigrationError.wrapping {
            let rehearsal = MigrationRehearsal(budget: budget, observer)
            var migration = self
            if let budget { migration.options.lockBudget = min(options.lockBudget, budget) }
            try MigrationPipeline(migration, end: rehearsal).run()
            return rehearsal.notes.report
        }
    }

    /// Indicates whether the transaction that is open on a session is one of a rehearsal.
    ///
    /// - Throws: `PostgresError`.
    package static func isRehearsed(on connection: Connection) throws -> Bool {
        try connection.query(
            "SELECT COALESCE(pg_catalog.current_setting('\(MigrationRehearsal.setting)', true), '') = 'on'",
            cached: false
        ).map { $0[0].isTrue }.first ?? false
    }
}
