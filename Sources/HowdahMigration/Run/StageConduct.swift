internal import HowdahSchema

/// The way in which a stage runs its parts: directly, or with a record of their times and faults.
protocol StageConduct {
    /// Is called with the locks of the tables held.
    func tablesAreLocked(_ stage: StageTransaction) throws

    /// Runs a handler of the program, or the passes of a mapping.
    func run(handler name: String, of stage: StageTransaction, _ body: () throws -> Void) throws

    /// Runs a pass of a mapping.
    ///
    /// - Parameter body: Returns the number of rows that it writes, or of objects that it works on.
    func run(pass step: MigrationStep, _ number: Int, of stage: StageTransaction, _ body: () throws -> Int)
        throws

    /// Runs a step.
    ///
    /// - Parameter writer: The last step that wrote rows, until they are checked.
    /// - Returns: What the rows of the store break; nil if they break nothing, or if the migration goes on nevertheless.
    func run(
        _ step: MigrationStep, _ number: Int, of stage: StageTransaction,
        _ writer: inout StageTransaction.Writer?
    ) throws -> StageTransaction.Fault?

    /// Checks the rows that were written against deferred rules of other programs.
    func settle(_ writer: inout StageTransaction.Writer?, of stage: StageTransaction) throws

    /// Is called with the new model recorded, before the transaction ends.
    func isRecorded(_ stage: StageTransaction) throws
}
