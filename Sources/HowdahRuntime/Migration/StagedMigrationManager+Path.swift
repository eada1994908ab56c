package import HowdahMigration

extension StagedMigrationManager {
    /// The versions and the kinds of the stages between them, for looking at: no handler is in it.
    ///
    /// - Throws: `MigrationError`.
    package func pathWithoutHandlers() throws(MigrationError) -> MigrationPath { try path(nil) }
}
