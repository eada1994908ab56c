package import Testing

extension Trait where Self == ConditionTrait {
    /// Skips the test if PgBouncer is not installed; in CI it then fails.
    package static var needsPgBouncer: Self { .enabled(if: PgBouncer.isExpected, "\(PgBouncer.absence)") }

    /// Skips the test if stores are behind a pooler in transaction mode: it counts or ends sessions, keeps something in
    /// one, or gives one settings.
    package static var needsSession: Self {
        .enabled(
            if: TestPooler.mode != .transaction,
            "needs sessions of its own, which a pooler in transaction mode does not give")
    }
}
