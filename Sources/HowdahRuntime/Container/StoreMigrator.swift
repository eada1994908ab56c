package import PQClient

/// Migrates a store to its program's model while it is opened.
///
/// `HowdahStages` has the only one. A program that migrates elsewhere links neither it nor the planner.
package protocol StoreMigrator: Sendable {
    /// Migrates the store if it has another model.
    ///
    /// - Throws: `StoreError.migrationFailed`; the store is then unchanged, or has the version before the
    ///   failed stage.
    func migrate(_ opening: StoreOpening, on connection: Connection) throws
}
