/// The early end of a rehearsal: the server refused a step for another reason than the rows of the store, or an earlier
/// migration has work left that must be done first.
///
/// Everything before it is in the report.
struct RehearsalEnding: Error {
    /// The reason, as part of a sentence.
    let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The server refused a step of a stage.
    init(_ stage: StageTransaction, at number: Int) {
        self.init("the server refused step \(number) of \(stage.plan.steps.count)")
    }
}
