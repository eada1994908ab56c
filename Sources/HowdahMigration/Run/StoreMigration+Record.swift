package import HowdahModel
package import HowdahSchema
internal import PQClient

extension StoreMigration {
    /// Returns the store's record, or nil if the store does not exist.
    ///
    /// - Throws: `MigrationError` with `notAStore` if only a newer version of the library can use the store, or with
    ///   `missingGrant`.
    package func record() throws -> StoreRecord? {
        try MigrationError.ofRecord {
            try StoreRecord(in: schemaName, on: connection, for: .writing)
        }
    }

    /// Returns the model that the store has, or nil if the store does not exist.
    ///
    /// - Throws: `MigrationError` with `notAStore`, also if the model cannot be read.
    package func recordedModel() throws -> ManagedObjectModel? {
        try record().map { try $0.readableModel() }
    }

    /// Indicates whether the store has the target already.
    package func isCurrent() throws -> Bool {
        try record().map { target.hasChecksum($0.checksum) } ?? false
    }

    /// Indicates whether the store has the target already, and no interrupted run left online work.
    package func isDone() throws -> Bool { try isCurrent() && onlineSteps().isEmpty }

    /// Returns the online steps that an interrupted run left.
    func onlineSteps() throws -> [PendingMigrationStep] {
        try PendingWork(connection, in: schemaName).steps().filter { $0.step.execution == .online }
    }

    /// Returns the steps that an earlier migration left, and that run before the stages of a plan.
    package func leftovers(before plan: StagedMigrationPlan) throws -> [PendingMigrationStep] {
        let pending = try PendingWork(connection, in: schemaName).steps()
        return plan.stages.first.map { GivenUpWork(pending, by: $0.plan).leftovers } ?? pending
    }
}
