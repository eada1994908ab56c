import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema

/// The plan from the store's model to another one, as `howdah migrate plan` prints it.
struct TargetPlan: Sendable {
    private let planning: BrowsePlanning
    private let plan: StagedMigrationPlan
    /// The values that the migration would lose, and how you confirm that; nil if there are none.
    private let refusal: String?
    /// The message of the error that prevented the plan; nil if there is one.
    private let failure: String?

    /// Indicates whether an error prevented the plan.
    var isFailed: Bool { failure != nil }

    /// Reads the plan on a separate session, because its questions to the store are separate transactions.
    init(_ planning: BrowsePlanning) async {
        self.planning = planning
        do {
            (plan, refusal) = try await PersistentContainer.readingApart(
                planning.url, options: planning.options
            ) { connection in
                let name = planning.options.schemaName
                var migration = StoreMigration(connection, to: planning.target.model, schemaName: name)
                migration.order = planning.target.order
                let (plan, refusal) = try migration.preview()
                return (plan.estimated(try RowEstimates.of(name, on: connection)), refusal?.message)
            }
            failure = nil
        } catch {
            (plan, refusal) = (StagedMigrationPlan(), nil)
            failure = (error as? MigrationError)?.message ?? ErrorWords.of(error).message
        }
    }

    var html: HTML {
        "<h2>Plan to \(planning.target.name)</h2>\n\(content)"
    }

    private var content: HTML {
        if let failure { return "<p class=\"error\" role=\"alert\">\(failure)</p>" }
        if plan.stages.isEmpty { return "<p>The store already has this model.</p>" }
        let loss: HTML =
            refusal.map { "<div class=\"warning\" role=\"note\"><pre>\($0)</pre></div>" } ?? ""
        let count = plan.stages.reduce(0) { $0 + $1.plan.steps.count }
        let steps = count == 1 ? "one step" : "\(Figures.count(count)) steps"
        let verdict = refusal == nil ? "No values are lost." : "Values would be lost:"
        return
            "<p role=\"status\">The plan has \(steps). \(verdict)</p>\n\(loss)\(plan.stages.enumerated().map(stage))"
    }

    private func stage(_ number: Int, _ stage: StagedMigrationPlan.Stage) -> HTML {
        let label = stage.label.isEmpty ? "Stage \(number + 1)" : stage.label
        let warnings = stage.plan.warnings.map { "<p class=\"warning\" role=\"note\">\($0)</p>\n" as HTML }
        let rows = stage.plan.steps.map { step -> [HTML] in
            [
                """
                \(step.reason)<details><summary>SQL</summary>\
                <pre><code>\(step.statements.joined(separator: ";\n"))</code></pre></details>
                """, HTML(Self.lock(of: step)),
                HTML(step.estimatedRows.map { "≈ \(Figures.count($0))" } ?? ""),
                HTML(step.rewritesTable ? "rewrites the table" : step.execution.rawValue),
            ]
        }
        return """
            \(warnings)\(TableMarkup(
                caption: "\(label), \(stage.kind.rawValue)",
                heads: ["Step", "Lock", "Rows", "Runs"], rows: rows
            ).html)
            """
    }

    private static func lock(of step: MigrationStep) -> String {
        guard let last = step.lastLock else { return step.lock.rawValue }
        return "\(step.lock.rawValue), then \(last.rawValue)"
    }
}

extension PlanCache {
    /// Returns the plan for a state of the store, and the time at which it was made. A plan that failed is not kept.
    ///
    /// - Parameters:
    ///   - state: Everything that changes when the store is migrated.
    ///   - again: Indicates whether a new plan is made in any case.
    func plan(
        _ planning: BrowsePlanning, for state: [String?], again: Bool
    ) async -> (plan: TargetPlan, time: Date) {
        let found = await value(for: state, again: again, isKept: { !$0.isFailed }) {
            await TargetPlan(planning)
        }
        return (found.value, found.time)
    }
}
