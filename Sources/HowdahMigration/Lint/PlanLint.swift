internal import HowdahSchema

/// Looks through a plan for steps that hold up, or break, programs that work on the store meanwhile: each by when it runs.
///
/// A pure function of the plan, and of how many rows the tables have where that is known.
package struct PlanLint {
    /// Tables of fewer rows are done with before anybody notices.
    static let fewRows = 10_000

    private let stage: String
    private let rows: [String: Int]
    private let plan: MigrationPlan
    /// The same stage with deferral, where that is an alternative.
    private let alternative: MigrationPlan?

    /// What is found in all stages, in their order.
    ///
    /// - Parameters:
    ///   - deferred: the same with deferral, where the plan is without: what it would put off is said so.
    ///   - rows: about how many rows the tables have, by their names.
    package static func findings(
        in plan: StagedMigrationPlan, deferred: StagedMigrationPlan? = nil, rows: [String: Int] = [:]
    ) -> [LintFinding] {
        plan.stages.enumerated().flatMap { number, stage in
            let other = deferred.flatMap { $0.stages.indices.contains(number) ? $0.stages[number].plan : nil }
            let lint = PlanLint(stage: stage.label, rows: rows, plan: stage.plan, alternative: other)
            return lint.findings + handlers(of: stage) + mappings(of: stage)
        }
    }

    /// The names to confirm.
    ///
    /// - Parameter names: with the stage that each is in.
    package static func confirmations(_ names: [(stage: String, name: String)], _ reason: String)
        -> [LintFinding]
    {
        names.map { stage, name in
            LintFinding(
                rule: .confirmation, severity: .warning, stage: stage, step: nil, name: name,
                message: "\(name): \(reason)",
                idiom:
                    "To confirm the drop, use --confirm-drop \(name), or add \"\(name)\" to confirmedDrops.")
        }
    }

    private static func mappings(of stage: StagedMigrationPlan.Stage) -> [LintFinding] {
        guard stage.kind == .mapped else { return [] }
        return [
            LintFinding(
                rule: .rewrite, severity: .warning, stage: stage.label, step: nil,
                message:
                    "every object is created again, and the store cannot be used meanwhile. Your own indexes are dropped with the old tables. Views, triggers, rules and publications on the old tables make the stage fail",
                idiom:
                    "Use a mapping only if the steps between the versions cannot be inferred. Measure the stage with howdah migrate rehearse."
            )
        ]
    }

    private static func handlers(of stage: StagedMigrationPlan.Stage) -> [LintFinding] {
        guard stage.hasWillMigrateHandler || stage.hasDidMigrateHandler else { return [] }
        return [
            LintFinding(
                rule: .handler, severity: .warning, stage: stage.label, step: nil,
                message: "a handler runs while all tables are locked against writes",
                idiom:
                    "Keep the handler short: use one statement for many rows. Measure the handler with howdah migrate rehearse."
            )
        ]
    }

    private var findings: [LintFinding] {
        plan.steps.enumerated().compactMap { number, step in
            step.execution == .immediate ? finding(step, number + 1) : laterFinding(step, number + 1)
        }
    }

    // MARK: - In the transaction

    private func finding(_ step: MigrationStep, _ number: Int) -> LintFinding? {
        let touched = step.tables.filter(plan.lockedTables.contains)
        // Tables that the plan itself makes are nobody else's yet.
        guard !touched.isEmpty, let fault = fault(step) else { return nil }
        // A foreign key reads the rows of its own table, and locks the table that it refers to for that long.
        let read = fault.rule == .validation ? Array(step.tables.prefix(1)) : touched
        guard read.contains(where: plan.lockedTables.contains) else { return nil }
        let known = read.map { rows[$0] }
        let isSmall = !known.contains { $0.map { $0 >= Self.fewRows } ?? true }
        let dependsOnRows = fault.rule != .drop && fault.rule != .rename
        return LintFinding(
            rule: fault.rule, severity: dependsOnRows && isSmall ? .note : .warning, stage: stage,
            step: number,
            message: "\(step.reason): \(fault.message) (\(touched.joined(separator: ", ")))",
            idiom: isPutOff(step, fault) ? fault.deferredIdiom ?? fault.idiom : fault.idiom)
    }

    private func fault(_ step: MigrationStep) -> LintFault? {
        guard let aside = SQLShape.nameSetAside(by: step.statements) else { return LintFault(step) }
        let drop = plan.steps.first { other in
            other.statements.contains { SQLShape($0) == .drop && $0.contains(aside) }
        }
        switch drop?.execution {
        // On its way to another name.
        case nil: return .rename
        // Told of the step that drops it.
        case .immediate?: return nil
        default: return .settingAside
        }
    }

    /// Whether deferral would take the fault out of the transaction.
    private func isPutOff(_ step: MigrationStep, _ fault: LintFault) -> Bool {
        guard let alternative else { return false }
        return !alternative.steps.contains { other in
            other.execution == .immediate && LintFault(other)?.rule == fault.rule
                && !Set(other.tables).isDisjoint(with: step.tables)
                && (fault.rule != .dataInTransaction || other.reason == step.reason)
        }
    }

    // MARK: - After it

    private func laterFinding(_ step: MigrationStep, _ number: Int) -> LintFinding {
        let (rule, message): (LintFinding.Rule, String)
        switch step.work {
        case .index:
            (rule, message) = (.concurrentIndex, "the index is built while other sessions read and write")
        case .validation:
            (rule, message) = (.validation, "all rows are read while other sessions read and write")
        case .batches:
            (rule, message) = (.batches, "rows are written in short batches, with pauses for other sessions")
        case nil:
            (rule, message) = (
                .drop,
                "the old values, which were kept until then, are dropped, and the table is locked for a moment"
            )
        }
        let isSafe = step.work != nil
        let time =
            step.execution == .online
            ? "online: howdah migrate apply runs this step after the transaction, before it returns"
            : isSafe
                ? "deferred: howdah migrate finish runs this step"
                : "Run howdah migrate finish when no program of the previous version runs and you no longer need the values."
        return LintFinding(
            rule: rule, severity: isSafe ? .safe : .note, stage: stage, step: number,
            message: "\(step.reason): \(message) (\(step.tables.joined(separator: ", ")))", idiom: time)
    }
}
