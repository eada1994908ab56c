/// The end of the stages of a migration: committed one by one, or rolled back together.
protocol MigrationEnd {
    /// Does what must be done before a plan with the steps that an earlier migration left.
    ///
    /// - Returns: The steps that are left to the transaction of the plan.
    func pending(_ work: DeferredWork, before plan: MigrationPlan) throws -> GivenUpWork

    /// Runs `body` in a transaction for each stage of the path, again if tables could not be locked.
    ///
    /// - Parameter budget: The time that all attempts of the first stage may take.
    func perform(
        _ stages: [MigrationPath.PlannedStage], _ givenUp: GivenUpWork?, of migration: StoreMigration,
        within budget: Duration, _ body: @escaping (StageTransaction) throws -> Void) throws

    /// Does what the new model relies on, after the transactions.
    func online(_ work: DeferredWork) throws

    /// Releases the lock, if the session can still be used.
    func release(_ lock: MigrationLock)
}
