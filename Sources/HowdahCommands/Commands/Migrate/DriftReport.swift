import HowdahMigration

/// What differs from a model, as lines or JSON.
struct DriftReport {
    private let drift: StoreDrift
    private let fine: String

    init(_ drift: StoreDrift, fine: String) {
        self.drift = drift
        self.fine = fine
    }

    func write(json: Bool) throws {
        if json { return try Output.write(json: drift) }
        let lines =
            (drift.differences.isEmpty ? [fine] : drift.differences.map { "! \($0)" })
            + drift.additions.map { "  not in the model: \($0)" }
        try Output.write(lines.map(\.printable).joined(separator: "\n"))
    }
}
