import Synchronization

/// How the steps of the shared histories went; told once all are done.
final class CorpusTally: Sendable {
    static let shared = CorpusTally()

    private let counts = Mutex<[String: Int]>([:])

    func note(_ outcome: MigrationTrial.Outcome, isBeyond: Bool, of total: Int) {
        let kind =
            if !outcome.faults.isEmpty { "failed" } else if outcome.refusal == nil {
                isBeyond ? "equal although beyond documented inference" : "equal"
            } else {
                "refused by data, then equal by a stage" + (isBeyond ? ", beyond documented inference" : "")
            }
        let summary: [String: Int]? = counts.withLock { counts in
            counts[kind, default: 0] += 1
            return counts.values.reduce(0, +) == total ? counts : nil
        }
        guard let summary else { return }
        print("corpus: " + summary.sorted { $0.key < $1.key }.map { "\($1) \($0)" }.joined(separator: "; "))
    }
}
