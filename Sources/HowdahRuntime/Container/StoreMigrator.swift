package import PQClient

/// Brings a store to its program's model while it is opened.
///
/// `HowdahStages` has the one that there is. A program that migrates elsewhere links neither it nor the planner.
package protocol StoreMigrator: Sendable {
    /// Migrates the store if it was made with another model.
    ///
    /// - Throws: `StoreError.migrationFailed`; the store is then as it was, or has the version before the stage that
    ///   failed.
    func migrate(_ opening: StoreOpening, on connection: Connection) throws
}
