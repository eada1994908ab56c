import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema

/// The plan from the store's model to another one, as `howdah migrate plan` prints it.
struct TargetPlan: Sendable {
    private let planning: BrowsePlanning
    private let plan: StagedMigrationPlan
    /// The values that the migration would lose, and the changes that cannot be inferred.
    private let refusals: [MigrationRefusal]
    /// The message of the error that prevented the plan; nil if there is one.
    private let failure: String?

    /// Indicates whether an error prevented the plan, or a query for lost values.
    var isFailed: Bool {
        failure != nil || refusals.contains(where: \.isUnanswered)
    }

    /// Reads the plan on a separate session, because its questions to the store are separate transactions.
    init(_ planning: BrowsePlanning) async {
        self.planning = planning
        do {
            (plan, refusals) = try await PersistentContainer.readingApart(
                planning.url, options: planning.options
            ) { connection in
                let name = planning.options.schemaName
                var migration = StoreMigration(connection, to: planning.target.model, schemaName: name)
                migration.order = planning.target.order
                let (plan, refusals) = try Self.preview(migration)
                return (plan.estimated(try RowEstimates.of(name, on: connection)), refusals)
            }
            failure = nil
        } catch {
            (plan, refusals) = (StagedMigrationPlan(), [])
            failure = (error as? MigrationError)?.message ?? ErrorWords.of(error).message
        }
    }

    /// Returns the plan with all confirmations that it needs, and what they confirm.
    private static func preview(
        _ migration: StoreMigration
    ) throws -> (StagedMigrationPlan, [MigrationRefusal]) {
        do {
            let (plan, refusal) = try migration.preview()
            return (plan, refusal?.refusals ?? [])
        } catch let error as MigrationError where !error.refusals.isEmpty {
            var confirmed = migration
            confirmed.options.confirmedDrops.formUnion(error.refusals.map(\.confirmation))
            // The reader still sees the reasons if there is no plan with the confirmations either.
            return ((try? confirmed.preview().plan) ?? StagedMigrationPlan(), error.refusals)
        }
    }

    /// - Parameter source: The pages that the counts of lost values are on.
    func html(_ source: PageSource) -> HTML {
        let target = planning.target
        let version: HTML =
            target.version(target.model.versionChecksum).map { ", version \($0)" } ?? ""
        return "<h2>Plan to \(target.name)\(version)</h2>\n\(content(source))"
    }

    private func content(_ source: PageSource) -> HTML {
        if let failure { return "<p class=\"error\" role=\"alert\">\(failure)</p>" }
        if plan.stages.isEmpty, refusals.isEmpty {
            return "<p>The store already has this model. Nothing is pending.</p>"
        }
        let count = plan.stages.reduce(0) { $0 + $1.plan.steps.count }
        let steps = count == 1 ? "one step" : "\(Figures.count(count)) steps"
        let verdict =
            refusals.isEmpty
            ? "No values are lost."
            : refusals.allSatisfy(\.isLoss)
                ? "Values would be lost." : "It needs confirmations, because some changes cannot be inferred."
        let summary =
            plan.stages.isEmpty
            ? "The plan cannot be made without confirmations."
            : "A migration with \(steps) is pending. \(verdict)"
        return """
            <p role="status">\(summary)</p>
            \(confirmations(source))\(plan.stages.enumerated().map(stage))
            """
    }

    /// The reasons for confirmations, and the options that confirm all.
    private func confirmations(_ source: PageSource) -> HTML {
        if refusals.isEmpty { return "" }
        let reasons = refusals.map { "<li>\($0.message)\(count(of: $0, source))</li>\n" as HTML }
        let options = Set(refusals.map(\.confirmation)).sorted().map { "--confirm-drop \($0)" }
        return """
            <div class="warning" role="note"><ul>\(reasons)</ul>
            <p>If these values may be dropped, add to <code>howdah migrate apply</code>:</p>
            <pre><code>\(options.joined(separator: " \\\n"))</code></pre></div>

            """
    }

    /// A link to the number of the objects that would lose a value; empty if no filter finds them.
    private func count(of refusal: MigrationRefusal, _ source: PageSource) -> HTML {
        let names = refusal.confirmation.split(separator: ".", maxSplits: 1).map(String.init)
        guard refusal.isLoss, let entity = names.first, source.guide.model[entity] != nil else { return "" }
        var view = ObjectsView(entity: entity)
        view.isCounted = true
        if names.count == 1, !source.guide.model.subentities(of: entity).isEmpty {
            // Subentities have refusals of their own, if they are removed.
            view.filter = "entity.name == \"\(entity)\""
            guard source.guide.model.property(named: "entity", of: entity) == nil else { return "" }
        }
        if names.count > 1 {
            let first = names[1].split(separator: ".").first.map(String.init) ?? names[1]
            let property = source.guide.model.property(named: first, of: entity)
            let isOne = property?.attribute?.isStored ?? property?.relationship.map { !$0.isToMany } ?? false
            guard isOne, !source.guide.isSensitive(names[1], of: entity) else { return "" }
            view.filter = "\(PredicateTree.filterPath(names[1])) != nil"
        }
        return
            " <a href=\"\(source.links.objects(entity, query: view.query))\">Count the objects that lose a value</a>"
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
