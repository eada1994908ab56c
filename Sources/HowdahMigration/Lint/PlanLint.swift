/// Looks through a plan for steps that hold up, or break, programs that work on the store meanwhile.
///
/// A pure function of the plan, and of how many rows the tables have where that is known.
package struct PlanLint {
    /// Tables of fewer rows are done with before anybody notices.
    static let fewRows = 10_000

    private let stage: String
    private let rows: [String: Int]
    private let plan: MigrationPlan

    private init(_ plan: MigrationPlan, stage: String, rows: [String: Int]) {
        self.plan = plan
        self.stage = stage
        self.rows = rows
    }

    /// What is found in all stages, in their order.
    package static func findings(in plan: StagedMigrationPlan, rows: [String: Int] = [:]) -> [LintFinding] {
        plan.stages.flatMap { stage in
            PlanLint(stage.plan, stage: stage.label, rows: rows).findings + handlers(of: stage)
                + mappings(of: stage)
        }
    }

    private static func mappings(of stage: StagedMigrationPlan.Stage) -> [LintFinding] {
        guard stage.kind == .mapped else { return [] }
        return [
            LintFinding(
                rule: .rewrite, severity: .warning, stage: stage.label, step: nil,
                message: "every object is made anew while nobody can use the store",
                idiom:
                    "have a mapping only between versions that inference does not lead between; measure with howdah migrate rehearse"
            )
        ]
    }

    private static func handlers(of stage: StagedMigrationPlan.Stage) -> [LintFinding] {
        guard stage.hasWillMigrateHandler || stage.hasDidMigrateHandler else { return [] }
        return [
            LintFinding(
                rule: .handler, severity: .warning, stage: stage.label, step: nil,
                message: "a handler runs with all tables locked against writers",
                idiom:
                    "keep it short: one statement over many rows rather than many; measure with howdah migrate rehearse"
            )
        ]
    }

    private var findings: [LintFinding] {
        plan.steps.enumerated().compactMap { number, step in finding(step, number + 1) }
    }

    private func finding(_ step: MigrationStep, _ number: Int) -> LintFinding? {
        let touched = step.tables.filter(plan.lockedTables.contains)
        // Tables that the plan itself makes are nobody else's yet.
        guard !touched.isEmpty, let (rule, message, idiom) = Self.fault(step) else { return nil }
        let known = touched.map { rows[$0] }
        let isSmall = !known.contains { $0.map { $0 >= Self.fewRows } ?? true }
        let dependsOnRows = rule != .drop && rule != .rename
        return LintFinding(
            rule: rule, severity: dependsOnRows && isSmall ? .note : .warning, stage: stage, step: number,
            message: "\(step.reason): \(message) (\(touched.joined(separator: ", ")))", idiom: idiom)
    }

    private static func fault(_ step: MigrationStep) -> (LintFinding.Rule, String, String)? {
        if step.rewritesTable {
            return (
                .rewrite, "every row is written anew while nobody can read the table",
                "add an attribute of the new type, copy in batches, and remove the old one in a later version"
            )
        }
        if step.check != nil {
            return nil
        }
        for statement in step.statements {
            if let fault = fault(SQLShape(statement)) { return fault }
        }
        return nil
    }

    private static func fault(_ shape: SQLShape) -> (LintFinding.Rule, String, String)? {
        switch shape {
        case .drop:
            return (
                .drop, "what programs of the version before still ask for is gone, with its values",
                "deploy programs that do not use it first, and remove it from the model in a version after that"
            )
        case .rename:
            return (
                .rename, "programs of the version before ask for the old name and fail",
                "stop the old programs first, or keep the column's name with the mapping key for it in the model"
            )
        case .addCheck, .addForeignKey:
            return (
                .validation, "all rows are read while the table is locked",
                "ADD CONSTRAINT … NOT VALID in the transaction, VALIDATE CONSTRAINT afterwards, which lets writers go on"
            )
        case .setNotNull:
            return (
                .scan, "all rows are read while nobody can use the table",
                "ADD CHECK (… IS NOT NULL) NOT VALID, VALIDATE CONSTRAINT, then SET NOT NULL, which reads nothing by then"
            )
        case .addUnique:
            return (
                .indexInTransaction, "an index is built while nobody can write",
                "CREATE UNIQUE INDEX CONCURRENTLY, then ADD CONSTRAINT … USING INDEX"
            )
        case .createIndex:
            return (
                .indexInTransaction, "an index is built while nobody can write",
                "CREATE INDEX CONCURRENTLY after the transaction"
            )
        case .changeRows:
            return (
                .dataInTransaction, "rows are changed in the transaction that locks the table",
                "change them in batches of about 1,000 before, each in a transaction of its own, so that few are left"
            )
        case .other: return nil
        }
    }
}
