internal import HowdahSchema

/// Runs the parts of a stage as they are.
struct DirectConduct: StageConduct {
    func tablesAreLocked(_ stage: StageTransaction) {}

    func run(handler name: String, of stage: StageTransaction, _ body: () throws -> Void) throws {
        try body()
    }

    func run(pass step: MigrationStep, _ number: Int, of stage: StageTransaction, _ body: () throws -> Int)
        throws
    {
        _ = try body()
    }

    func run(
        _ step: MigrationStep, _ number: Int, of stage: StageTransaction,
        _ writer: inout StageTransaction.Writer?
    ) throws -> StageTransaction.Fault? {
        try stage.run(step, number, &writer)
    }

    func settle(_ writer: inout StageTransaction.Writer?, of stage: StageTransaction) throws {
        try stage.settleConstraints(&writer)
    }

    func isRecorded(_ stage: StageTransaction) {}
}
