import HowdahMigration
import HowdahModel
import HowdahRuntime

extension StageContexts {
    /// Returns the planner and runner of a stage with a mapping model.
    func mapping(_ stage: MappedMigrationStage) -> StageMapping {
        { from, to, schemaName throws(MigrationError) in
            let mapped = try MappedPlan(
                stage, from: from, to: to, schemaName: schemaName, storeIdentifier: identifier,
                transformers: options.valueTransformers)
            let run = MappingRun(
                mapped: mapped, source: store(mapped.layouts.source),
                destination: store(mapped.layouts.destination), policies: stage.policies, models: (from, to))
            return (
                mapped.plan, StageHandlers(mapping: { try run.run(on: $0, $1) }),
                mapped.losses
            )
        }
    }
}
