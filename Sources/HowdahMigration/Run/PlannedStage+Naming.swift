internal import PQClient

extension MigrationPath.PlannedStage {
    /// Runs `body`, and adds the place of a listed stage and the state of the store to its errors.
    ///
    /// - Parameter aftermath: The state of the store if the stage fails, as a sentence without its end.
    func naming(_ position: StagePosition, _ aftermath: String, _ body: () throws -> Void) throws {
        let title = isListed ? "Stage \(position.number) of \(position.count) (\(stage.label)): " : ""
        do {
            try body()
        } catch let error as MigrationError where isListed {
            throw MigrationError(
                error.code, title + error.message, refusals: error.refusals,
                databaseError: error.databaseError,
                underlyingError: error.underlyingError)
        } catch let error as PostgresError
            where !error.isOfLocks && (isListed || error.sqlState != SQLState.insufficientPrivilege)
        {
            throw MigrationError(
                .database,
                title + (isListed ? "the" : "The") + " database operation "
                    + (error.mayHaveCommitted
                        ? "failed. The stage may be complete. Run the migration again to find out."
                        : error.outcome(aftermath)),
                databaseError: error)
        }
    }
}
