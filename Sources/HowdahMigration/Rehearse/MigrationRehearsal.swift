package import HowdahModel
internal import HowdahSchema
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
    /// Handlers run in a task, which is cancelled when the budget is spent. One that goes on all the same is not waited for:
    /// the session is cut off, and the report says so (``RehearsalReport/isAbandoned``).
    ///
    /// - Throws: `MigrationError` where it could not begin, or was cancelled from outside.
    package func run() throws -> RehearsalReport {
        try MigrationError.wrapping {
            let end = budget.map { ContinuousClock.now.advanced(by: $0) }
            var options = options
            if let budget { options.lockBudget = min(options.lockBudget, budget) }
            let lock = MigrationLock(connection: connection, schemaName: schemaName)
            try lock.take(within: options.lockBudget, observer)
            var isAbandoned = false
            defer { if !isAbandoned { lock.release() } }
            let record = try StoreRecord.migratable(in: schemaName, on: connection)
            try MigratingRole(connection: connection, schemaName: schemaName).check()
            let stored = try record.migratableModel()
            let way = try path.way(
                from: stored, to: target, schemaName: schemaName, confirmedDrops: options.confirmedDrops,
                shouldDefer: options.shouldDeferLightweightMigration,
                asking: DropCheck(connection, stored, in: schemaName))
            try way.check()
            let legs = way.legs
            let notes = RehearsalNotes(observer)
            isAbandoned = try !supervise(notes, until: end) {
                let aftermath = "The store is unchanged"
                try LockRetry(
                    budget: options.lockBudget, timeout: options.lockTimeout, aftermath: aftermath,
                    canceller: connection.canceller, observer: notes.tell
                ).run { try rehearse(legs, aftermath, notes, until: end, waiting: $0) }
            }
            return notes.report
        }
    }

    /// How long after the budget whatever is cancelled may take to end, the server's rolling back included.
    private static let grace = Duration.seconds(3)

    /// Runs `body`, and cancels it at `end`; false where that was of no use.
    private func supervise(
        _ notes: RehearsalNotes, until end: ContinuousClock.Instant?, _ body: @escaping () throws -> Void
    ) throws -> Bool {
        let severance = connection.makeSeverance()
        let task = SupervisedTask(body)
        if try task.wait(until: end) { return true }
        task.cancel()
        if try task.wait(until: .now + Self.grace) { return true }
        notes.abandon(after: budget ?? .zero)
        severance?.sever()
        return false
    }

    private func rehearse(
        _ legs: [MigrationPath.Leg], _ aftermath: String, _ notes: RehearsalNotes,
        until end: ContinuousClock.Instant?, waiting patience: Duration
    ) throws {
        let all = try PendingWork(connection, in: schemaName).steps()
        let givenUp = legs.first.map { GivenUpWork(all, by: $0.plan) }
        // What is given up may be in the way of the rest.
        let pending = givenUp?.steps.isEmpty ?? true ? all : []
        let first = pending.isEmpty ? 0 : 1
        let count = legs.count + first
        notes.begin(stages: count)
        connection.deadline = end
        defer { connection.deadline = nil }
        var ending: String?
        do {
            try connection.begin()
            let settings = try SessionSettings(of: connection)
            var known: StageTransaction.Tables?
            var foreign: Set<RehearsalReport.Lock> = []
            if !pending.isEmpty, let leg = legs.first {
                let stage = StageTransaction(
                    connection: connection, source: leg.sourceModel, target: leg.sourceModel,
                    plan: MigrationPlan(
                        fromChecksum: leg.plan.fromChecksum, toChecksum: leg.plan.fromChecksum,
                        schemaName: schemaName, changes: [], steps: pending.map(\.step), lockedTables: []),
                    label: StageTransaction.pendingLabel, handlers: StageHandlers(),
                    lockTimeout: patience, aftermath: aftermath,
                    position: StagePosition(number: 1, count: count, label: StageTransaction.pendingLabel),
                    observer: notes.tell)
                let tables = try stage.storedTables()
                known = tables
                ending = try stage.rehearse(pending: pending, notes)
                foreign = Set(try stage.heldLocks(on: tables))
            }
            for (number, leg) in legs.enumerated() where ending == nil {
                var stage = StageTransaction(
                    connection: connection, source: leg.sourceModel, target: leg.destinationModel,
                    plan: number == 0 ? givenUp?.plan ?? leg.plan : leg.plan, label: leg.hop.label,
                    handlers: leg.hop.handlers,
                    lockTimeout: patience, aftermath: aftermath,
                    position: StagePosition(
                        number: number + 1 + first, count: count, label: leg.hop.label),
                    observer: notes.tell)
                stage.settings = settings
                if number == 0, pending.isEmpty { stage.givenUp = givenUp }
                if known == nil { known = try stage.storedTables() }
                ending = try stage.rehearse(notes, known: known ?? [:], foreign: foreign)
            }
        } catch {
            let isLate = end.map { $0 <= .now } ?? false
            try? connection.rollback()
            if isLate {
                let reason = (error as? LockFailure).map { ": \($0.reason)" } ?? ""
                return notes.end(
                    notes.lateness(after: budget ?? .zero) + reason + ". Rehearse again with a longer budget."
                )
            }
            switch error {
            case let error as MigrationError:
                let code = (error.underlying ?? error.cause as? PostgresError)?.code
                if code == .cancelled { throw error }
                return notes.end("\(error)")
            // The error that led here is the one to report.
            case let error as PostgresError where error.isOfLocks:
                throw LockFailure(underlying: error, table: nil, holders: [])
            default: throw error
            }
        }
        try connection.rollback()
        notes.end(ending)
    }
}

extension MigrationRehearsal {
    /// The setting by which scripts know that what they do is undone.
    static let setting = "howdah.rehearsal"

    /// Whether the transaction that is open on a session is one of a rehearsal.
    ///
    /// - Throws: `PostgresError`.
    package static func isUnderWay(on connection: Connection) throws -> Bool {
        try connection.query(
            "SELECT COALESCE(pg_catalog.current_setting('\(setting)', true), '') = 'on'", cached: false
        ).map { $0[0].bool }.first ?? false
    }
}
