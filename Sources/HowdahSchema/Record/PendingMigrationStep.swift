/// Work that a deferred migration has left in a store, which has the new model without it.
public struct PendingMigrationStep: Hashable, Sendable, Codable {
    /// Which of the pending steps it is; steps are done in this order, those that failed last.
    public let number: Int64
    /// What is to be done, and whether online or whenever there is time.
    public let step: MigrationStep
    /// The key of the last row that was done, where rows are done in batches.
    public let lastKey: Int64?
    /// Why it could not be done when it was last tried; nil where it was not.
    public let failure: String?

    /// Whether programs wait for it before they open the store: values that the model requires are missing without it.
    public var isAwaited: Bool {
        if case .batches = step.work { step.execution == .online } else { false }
    }
}

extension PendingMigrationStep: CustomStringConvertible {
    /// One line: when it runs, the reason, and why it failed.
    public var description: String {
        "\(step.execution.rawValue)  \(step.reason)" + (failure.map { "   \($0)" } ?? "")
    }
}
