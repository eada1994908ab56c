internal import Foundation
internal import HowdahSchema

/// What takes a store through several versions of its model: stages in order, each of them one transaction.
public struct StagedMigrationPlan: Hashable, Sendable, Codable {
    /// How a stage comes to its steps.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// By inference alone.
        case lightweight
        /// By inference, with handlers of the program before or after.
        case custom
        /// By a mapping model.
        case mapped
    }

    /// From one listed version to the next.
    public struct Stage: Hashable, Sendable, Codable {
        /// What the program calls the stage, else the names of both versions.
        public let label: String
        /// How it comes to its steps.
        public let kind: Kind
        /// Whether a handler runs before the steps, in the same transaction.
        public let hasWillMigrateHandler: Bool
        /// Whether a handler runs after the steps, in the same transaction.
        public let hasDidMigrateHandler: Bool
        /// The steps.
        public let plan: MigrationPlan
    }

    /// The stages that the store still needs, in order.
    public let stages: [Stage]

    /// Nothing to do.
    package init() { stages = [] }

    package init(stages: [Stage]) { self.stages = stages }

    /// A plan of one inference, without stages of a program.
    package init(_ plan: MigrationPlan, label: String = "") {
        stages = [
            Stage(
                label: label, kind: .lightweight, hasWillMigrateHandler: false, hasDidMigrateHandler: false,
                plan: plan)
        ]
    }

    init(_ planned: [MigrationPath.PlannedStage]) {
        stages = planned.map { planned in
            Stage(
                label: planned.stage.label, kind: planned.stage.kind,
                hasWillMigrateHandler: planned.stage.handlers.willMigrate != nil,
                hasDidMigrateHandler: planned.stage.handlers.didMigrate != nil, plan: planned.plan)
        }
    }

    /// The plan as JSON that is the same for equal plans.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}

extension StagedMigrationPlan: CustomStringConvertible {
    /// Each stage with its handlers and steps, in the order in which they run.
    public var description: String {
        if stages.isEmpty { return "nothing to do" }
        return stages.enumerated().map { number, stage in
            let title = "stage \(number + 1) of \(stages.count)   \(stage.label)   \(stage.kind.rawValue)"
            return ([title] + stage.lines).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }
}

extension StagedMigrationPlan.Stage {
    fileprivate var lines: [String] {
        var lines = [plan.heading] + plan.warningLines
        if hasWillMigrateHandler { lines.append("willMigrate handler") }
        lines += plan.lines { !hasDidMigrateHandler || !$0.isRule }
        if hasDidMigrateHandler { lines += ["didMigrate handler"] + plan.lines(where: \.isRule) }
        return lines
    }
}
