internal import HowdahModel
internal import HowdahSchema
internal import PQClient

/// Notes the durations, rows and locks of a stage's parts. If rows break a step, that is noted, and the next steps run as
/// if the step had succeeded.
final class StageRehearsal: StageConduct {
    /// The tables of the schema by their numbers, which stay the same if they are renamed or dropped.
    typealias Tables = [Int64: (name: String, file: Int64)]

    let notes: RehearsalNotes
    /// The tables before the rehearsal, which other sessions wait for.
    let known: Tables
    /// The locks of an earlier transaction, which ends before that of the stage.
    private let foreign: Set<RehearsalReport.Lock>
    /// The tables before the stage.
    private var before: Tables = [:]
    /// The tables in which the last looks found rows that break the next rules.
    var broken: Set<String> = []

    init(_ notes: RehearsalNotes, known: Tables, foreign: Set<RehearsalReport.Lock>) {
        self.notes = notes
        self.known = known
        self.foreign = foreign
    }

    func tablesAreLocked(_ stage: StageTransaction) throws {
        before = try Self.tables(in: stage.plan.schemaName, on: stage.connection)
        try noteLocks(of: stage)
        try stage.connection.executeScript("SET LOCAL \(MigrationRehearsal.setting) = 'on'")
    }

    func run(handler name: String, of stage: StageTransaction, _ body: () throws -> Void) throws {
        try noteLocks(of: stage)
        notes.begin(handler: name)
        let start = ContinuousClock.now
        // The passes of a mapping are steps within it.
        let place = notes.report.stages.last?.steps.count ?? 0
        defer {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            notes.note {
                $0.handlers.append(
                    RehearsalReport.Handler(name: name, seconds: seconds, afterSteps: place))
            }
        }
        try body()
        try noteLocks(of: stage)
    }

    func run(pass step: MigrationStep, _ number: Int, of stage: StageTransaction, _ body: () throws -> Int)
        throws
    {
        notes.begin(step: number, isHandler: true)
        let start = ContinuousClock.now
        let rows = try body()
        notes.note(step, number, rows, since: start)
    }

    func run(
        _ step: MigrationStep, _ number: Int, of stage: StageTransaction,
        _ writer: inout StageTransaction.Writer?
    ) throws -> StageTransaction.Fault? {
        do {
            // What earlier steps have written is checked by itself, so that an error is not one of this step.
            if !step.writesRowsLast, step.check == nil { try settle(&writer, of: stage) }
            try note(step, number, of: stage, &writer)
        } catch let ending as RehearsalEnding {
            try step.execution == .immediate ? noteLocks(of: stage) : noteRewrites(of: stage)
            throw ending
        }
        if step.rewritesTable, step.execution == .immediate { try noteLocks(of: stage) }
        return nil
    }

    func settle(_ writer: inout StageTransaction.Writer?, of stage: StageTransaction) throws {
        guard let last = writer else { return }
        try stage.connection.savepoint("howdah_step")
        do {
            try stage.settleConstraints(&writer)
            try stage.connection.release(savepoint: "howdah_step")
        } catch let error as MigrationError where error.databaseError?.code == .server {
            try stage.connection.rollback(toSavepoint: "howdah_step")
            notes.note { $0.violations.append(error.message) }
            try noteLocks(of: stage)
            throw RehearsalEnding(stage, at: last.number)
        }
    }

    /// Rehearses the steps that are not immediate in the same transaction.
    func isRecorded(_ stage: StageTransaction) throws {
        try noteLocks(of: stage)
        var writer: StageTransaction.Writer?
        for (place, step) in stage.plan.steps.enumerated() where step.execution != .immediate {
            _ = try run(step, place + 1, of: stage, &writer)
        }
        try noteRewrites(of: stage)
    }

    // MARK: - Locks

    private func noteLocks(of stage: StageTransaction) throws {
        let locks = try heldLocks(on: stage.connection).filter {
            !foreign.contains($0)
                || $0.mode == "AccessExclusiveLock" && stage.plan.lockedTables.contains($0.table)
        }
        notes.note { $0.locks = locks }
        try noteRewrites(of: stage)
    }

    private func noteRewrites(of stage: StageTransaction) throws {
        let now = try Self.tables(in: stage.plan.schemaName, on: stage.connection)
        notes.note {
            $0.rewrites = before.compactMap { key, old in
                now[key].flatMap { $0.file == old.file ? nil : $0.name }
            }.sorted()
        }
    }

    /// The file with the rows of each table: another one if all rows were written again.
    static func tables(in schemaName: String, on connection: Connection) throws -> Tables {
        var parameters = Parameters()
        try parameters.append(schemaName)
        return Dictionary(
            try connection.query(
                "SELECT c.oid::pg_catalog.int8, c.relname::text, c.relfilenode::pg_catalog.int8 FROM pg_catalog.pg_class c "
                    + "JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
                    + "WHERE n.nspname = $1 AND c.relkind = 'r'", parameters, cached: false
            ).map { ($0[0].int64, ($0[1].string(), $0[2].int64)) }, uniquingKeysWith: { first, _ in first })
    }

    /// By their numbers: dropped tables are in no catalogue any more, and still locked.
    func heldLocks(on connection: Connection) throws -> [RehearsalReport.Lock] {
        try connection.query(
            """
            SELECT DISTINCT l.relation::pg_catalog.int8, l.mode FROM pg_catalog.pg_locks l
            WHERE l.pid = pg_catalog.pg_backend_pid() AND l.granted AND l.locktype = 'relation'
                AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'AccessExclusiveLock')
            """, cached: false
        ).map { ($0[0].int64, $0[1].string()) }.compactMap { number, mode in
            known[number].flatMap { table in
                table.name.hasPrefix("_howdah") ? nil : RehearsalReport.Lock(table: table.name, mode: mode)
            }
        }.sorted { ($0.table, $0.mode) < ($1.table, $1.mode) }
    }
}
