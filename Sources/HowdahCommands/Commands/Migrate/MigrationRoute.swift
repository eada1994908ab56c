import Foundation
import HowdahMigration
import HowdahModel
import HowdahSchema
import PQClient

/// How one store gets to a model: through the stages of a plan, or by one inference.
struct MigrationRoute {
    let connection: Connection
    let schemaName: String
    let target: ManagedObjectModel
    /// Nil for one inference.
    let path: MigrationPath?
    /// The versions of the model's bundle in their order; empty if they are not known.
    let order: [ManagedObjectModel]
    var options: MigrationOptions

    /// Returns the store's record; nil if there is no store.
    ///
    /// - Throws: `MigrationError` with `notAStore` if only a newer version of the library can use the store.
    func record() throws -> StoreRecord? {
        let record: StoreRecord?
        do {
            record = try StoreRecord(in: schemaName, on: connection, for: .writing)
        } catch let error as StoreRecordError {
            throw MigrationError(.notAStore, error.message)
        }
        return record
    }

    /// The stages that the store needs, or those that make it; none if it has the model.
    func plan() throws -> StagedMigrationPlan {
        try preview().plan
    }

    /// The stages, and the error that applying would end with until drops are confirmed; the store is asked once.
    func preview() throws -> (plan: StagedMigrationPlan, refusal: MigrationError?) {
        if try record() == nil { return (StagedMigrationPlan(try creation()), nil) }
        guard let (runner, staged) = try runners() else { return (StagedMigrationPlan(), nil) }
        return try withWordForAll {
            let found: (plan: StagedMigrationPlan, refusal: MigrationError?)
            if let staged {
                found = try staged.preview()
            } else {
                let preview = try runner?.preview()
                found = (
                    preview?.plan.map { StagedMigrationPlan($0) } ?? StagedMigrationPlan(), preview?.refusal
                )
            }
            return (found.plan, found.refusal.map(withWordForAll))
        }
    }

    /// The same with deferral, whatever the options say.
    func deferredPlan() throws -> StagedMigrationPlan {
        var route = self
        route.options.shouldDeferLightweightMigration = true
        return try route.plan()
    }

    /// Tells of what an earlier migration left, which this one would do first.
    func tellPending() throws {
        let pending = try PendingWork(connection, in: schemaName).steps()
        let count =
            try plan().stages.first.map { GivenUpWork(pending, by: $0.plan).leftovers.count } ?? pending.count
        guard count > 0, try !isCurrent(storedModel()) else { return }
        Output.tell(
            "note: \(count.counted("step", "steps")) left by an earlier migration will run first. "
                + "Run howdah migrate finish to run them ahead of time.")
    }

    /// Does them, and tells which.
    func apply(_ observer: MigrationObserver?) throws -> StagedMigrationPlan {
        try withWordForAll { try applySteps(observer) }
    }

    private func applySteps(_ observer: MigrationObserver?) throws -> StagedMigrationPlan {
        guard var (runner, staged) = try runners() else {
            // What an earlier run was cut off in, it goes on with.
            let isCutOff = try PendingWork(connection, in: schemaName).steps().contains {
                $0.step.execution == .online
            }
            guard isCutOff else { return StagedMigrationPlan() }
            _ = try MigrationRunner(connection, to: target, schemaName: schemaName, options: options).apply()
            return StagedMigrationPlan()
        }
        staged?.observer = observer
        runner?.observer = observer
        if let staged { return try staged.apply() }
        guard case .migrated(let plan)? = try runner?.apply() else { return StagedMigrationPlan() }
        return StagedMigrationPlan(plan)
    }

    /// Does them and undoes them; nil where the store has the model already.
    func rehearse(budget: Duration?, _ observer: MigrationObserver?) throws -> RehearsalReport? {
        guard let stored = try storedModel(), !isCurrent(stored) else {
            return nil
        }
        let way = try path.map { try $0.reversed(from: stored, to: target) ?? $0 }
        try checkWayBack(from: stored)
        var rehearsal = MigrationRehearsal(
            connection, try way ?? MigrationPath(from: stored, to: target), to: target,
            schemaName: schemaName, options: options, budget: budget)
        rehearsal.observer = observer
        return try withWordForAll { try rehearsal.run() }
    }

    /// Indicates whether the store has the target already.
    func isCurrent(_ stored: ManagedObjectModel?) -> Bool {
        stored.map { target.hasChecksum($0.versionChecksum) } ?? false
    }

    func storedModel() throws -> ManagedObjectModel? {
        try record().map { try ManagedObjectModel(canonicalJSON: $0.model) }
    }

    func runners() throws -> (MigrationRunner?, StagedMigrationRunner?)? {
        guard let stored = try storedModel() else {
            return (MigrationRunner(connection, to: target, schemaName: schemaName, options: options), nil)
        }
        if isCurrent(stored) { return nil }
        let way = try path.map { try $0.reversed(from: stored, to: target) ?? $0 }
        try checkWayBack(from: stored)
        guard let way else {
            return (MigrationRunner(connection, to: target, schemaName: schemaName, options: options), nil)
        }
        return (
            nil, StagedMigrationRunner(connection, way, to: target, schemaName: schemaName, options: options)
        )
    }

    /// Back to an earlier version goes only who asks for it.
    private func checkWayBack(from stored: ManagedObjectModel) throws {
        if try !options.goesBack && isOlder(than: stored) { throw MigrationError.wouldGoBack(in: schemaName) }
    }

    private func place(of model: ManagedObjectModel) -> Int? {
        if let path { return path.place(of: model) }
        return order.firstIndex {
            $0.hasChecksum(model.versionChecksum) || model.hasChecksum($0.versionChecksum)
        }
    }

    func isOlder(than stored: ManagedObjectModel) throws -> Bool {
        if let start = place(of: stored), let end = place(of: target) { return end < start }
        return try MigrationLedger.hasLeft(target, forward: true, in: schemaName, on: connection)
    }
}
