package import HowdahModel
internal import HowdahSchema

extension StoreMigration {
    /// Returns the steps that block or break programs, and the drops without a confirmation.
    ///
    /// Reads only. Without a store, the result is nil.
    ///
    /// - Throws: `MigrationError`; `PostgresError`.
    package func lint() throws -> [LintFinding]? {
        let (plan, refusal) = try preview()
        guard let stored = try recordedModel() else { return nil }
        var deferring = self
        deferring.options.shouldDeferLightweightMigration = true
        let findings = PlanLint.findings(
            in: plan,
            deferred: options.shouldDeferLightweightMigration ? nil : try deferring.preview().plan,
            rows: try RowEstimates.of(schemaName, on: connection))
        return findings + VersionBefore(of: stored, with: target).findings
            + PlanLint.confirmations(
                refusal?.refusals.map { ("", $0.confirmation) } ?? [],
                "the migration drops its values, and the store has some")
    }
}

extension MigrationPath {
    /// Returns the steps between two versions that block or break programs, and the drops without a confirmation.
    ///
    /// - Throws: `MigrationError`.
    package func lint(
        from source: ManagedObjectModel, to target: ManagedObjectModel, schemaName: String,
        options: MigrationOptions
    ) throws -> [LintFinding] {
        func plan(deferring: Bool) throws -> StagedMigrationPlan {
            try self.plan(
                from: source, to: target, schemaName: schemaName, confirmedDrops: options.confirmedDrops,
                shouldDefer: deferring)
        }
        let isDeferred = options.shouldDeferLightweightMigration
        let findings = PlanLint.findings(
            in: try plan(deferring: isDeferred), deferred: isDeferred ? nil : try plan(deferring: true))
        let losses = try unconfirmedLosses(
            from: source, to: target, confirmedDrops: options.confirmedDrops)
        return findings + VersionBefore(of: source, with: target).findings
            + PlanLint.confirmations(
                losses.map { ($0.stage, $0.loss.place) },
                "the migration drops its values, and needs a confirmation if the store has any")
    }
}
