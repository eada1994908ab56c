internal import HowdahSchema
internal import PQClient

extension StoreDiagnosis {
    /// What a deferred migration has left, since when, and why it was not done.
    func pendingWork(_ steps: [PendingMigrationStep]) throws -> [StoreFinding] {
        guard !steps.isEmpty else {
            return [StoreFinding("pending", .ok, "no step of a deferred migration is pending")]
        }
        // It is the work of the last migration: each finishes what an earlier one left before it begins.
        let since =
            try LedgerEntry.all(in: schemaName, on: connection).last.map { " since \($0.began)" } ?? ""
        let list = steps.map { pending in
            let reason = pending.step.reason
            guard let failure = pending.failure else { return reason }
            // The message begins with the step, as it stands alone elsewhere.
            let rest = failure.hasPrefix(reason + ": ") ? failure.dropFirst(reason.count + 2) : failure[...]
            return "\(reason) (failed: \(rest))"
        }
        let isInNeed = steps.contains { $0.failure != nil || $0.step.execution == .online }
        return [
            StoreFinding(
                "pending", isInNeed ? .warning : .note,
                "\(steps.count) \(steps.count == 1 ? "step" : "steps") of a deferred migration\(since): "
                    + list.joined(separator: "; "),
                remedy: "Run howdah migrate finish.")
        ]
    }
}
