internal import HowdahModel
package import HowdahSchema

/// The state of a store compared with a model, and the stages between the two.
package struct MigrationStatus {
    package enum State: String, Sendable {
        /// The store does not exist. The plan creates it unless a refusal is given.
        case absent
        /// The store has the model.
        case current
        /// The stages can run.
        case migratable
        /// The stages cannot run until you resolve the refusal.
        case refused
    }

    package let state: State
    /// The checksum of the store's model; nil without a store.
    package let checksum: String?
    /// The stages that the store needs, or those that create it. They may be there despite a refusal.
    package let plan: StagedMigrationPlan
    /// The reason why the stages cannot run; nil if there is none.
    package let refusal: MigrationError?
    /// The steps that earlier migrations left.
    package let pending: [PendingMigrationStep]

    /// A Boolean value that indicates whether no migration has anything to do, except for deferred steps.
    package var isUpToDate: Bool {
        state == .current && !pending.contains { $0.step.execution == .online }
    }
}

extension StoreMigration {
    /// The errors that are a state of the store, which its operator can change.
    private static let refusals: [MigrationError.Code] = [
        .notInferable, .unlistedVersion, .newerStore, .missingGrant, .rowSecurity, .unfitData,
    ]

    /// Compares the store with the target. Reads only.
    ///
    /// - Throws: `MigrationError` for an error that is not a refusal; `PostgresError`.
    package func status() throws -> MigrationStatus {
        var plan = StagedMigrationPlan()
        var refusal: MigrationError?
        guard let record = try record() else {
            do {
                plan = StagedMigrationPlan(try creation())
            } catch let error as MigrationError where error.code == .notAStore {
                refusal = error
            }
            return MigrationStatus(state: .absent, checksum: nil, plan: plan, refusal: refusal, pending: [])
        }
        let pending = try PendingWork(connection, in: schemaName).steps()
        let isCurrent = target.hasChecksum(record.checksum)
        if !isCurrent {
            do {
                (plan, refusal) = try preview()
            } catch let error as MigrationError where Self.refusals.contains(error.code) {
                refusal = error
            }
        }
        return MigrationStatus(
            state: isCurrent ? .current : refusal == nil ? .migratable : .refused,
            checksum: record.checksum, plan: plan, refusal: refusal, pending: pending)
    }
}
