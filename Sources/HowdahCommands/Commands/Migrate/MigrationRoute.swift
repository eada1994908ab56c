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
        guard let migration = try migration() else { return (StagedMigrationPlan(), nil) }
        return try withWordForAll {
            let found = try migration.preview()
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
        guard var migration = try migration() else {
            // What an earlier run was cut off in, it goes on with.
            let isCutOff = try PendingWork(connection, in: schemaName).steps().contains {
                $0.step.execution == .online
            }
            guard isCutOff else { return StagedMigrationPlan() }
            return try StoreMigration(connection, to: target, schemaName: schemaName, options: options)
                .apply()
        }
        migration.observer = observer
        return try migration.apply()
    }

    /// Does them and undoes them; nil where the store has the model already.
    func rehearse(budget: Duration?, _ observer: MigrationObserver?) throws -> RehearsalReport? {
        guard try record() != nil, var migration = try migration() else { return nil }
        migration.observer = observer
        return try withWordForAll { try migration.rehearse(budget: budget) }
    }

    /// Indicates whether the store has the target already.
    func isCurrent(_ stored: ManagedObjectModel?) -> Bool {
        stored.map { target.hasChecksum($0.versionChecksum) } ?? false
    }

    func storedModel() throws -> ManagedObjectModel? {
        try record().map { try ManagedObjectModel(canonicalJSON: $0.model) }
    }

    /// The migration that the store needs; nil if it has the target.
    func migration() throws -> StoreMigration? {
        guard let stored = try storedModel() else {
            return StoreMigration(connection, to: target, schemaName: schemaName, options: options)
        }
        if isCurrent(stored) { return nil }
        let way = try path.map { try $0.reversed(from: stored, to: target) ?? $0 }
        try checkWayBack(from: stored)
        return StoreMigration(connection, way, to: target, schemaName: schemaName, options: options)
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
