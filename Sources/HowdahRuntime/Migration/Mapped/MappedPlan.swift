import Foundation
import HowdahMigration
import HowdahModel

/// A stage with a mapping model, planned between two models: a pure function of them, made without a server.
struct MappedPlan: Sendable {
    let mappingModel: MappingModel
    let layouts: MappingLayouts
    let passes: [MappedPass]
    let plan: MigrationPlan

    /// - Throws: `MigrationError` with `invalidMapping`, naming everything that does not fit; `notInferable`, naming entities
    ///   of which nothing is said; `invalidModel`.
    init(
        _ stage: MappedMigrationStage, from: ManagedObjectModel, to: ManagedObjectModel, schemaName: String,
        storeIdentifier: UUID, transformers: [AttributeTransformer],
        confirmedDrops: Set<String>
    ) throws(MigrationError) {
        do throws(MappingModelError) {
            mappingModel = try stage.mappingModel.resolved(from: from, to: to)
        } catch {
            throw MigrationError(.invalidMapping, error.message, cause: error)
        }
        let found: MappedPasses
        do {
            // What must be there is asked for once the passes are over.
            let ends = try [
                (from, AsideSchema.name(for: schemaName)),
                (to.withoutRequirements(ofLists: true), schemaName),
            ].map { model, schemaName in
                try StoreLayout(
                    model: model, schema: StoreSchema(model, schemaName: schemaName),
                    storeIdentifier: storeIdentifier, transformers: transformers)
            }
            layouts = MappingLayouts(
                mappingModel, source: ends[0], destination: ends[1], ModelPairing(from: from, to: to))
            found = try MappedPasses(layouts, stage.policies)
        } catch {
            throw MigrationError(.invalidMapping, "The mapping cannot be planned: \(error)", cause: error)
        }
        guard found.issues.isEmpty else {
            throw MigrationError(
                .invalidMapping,
                (["The mapping cannot be run:"] + found.issues.map { "- " + $0 }).joined(separator: "\n"))
        }
        try Self.checkLosses(mappingModel, from, confirmedDrops)
        passes = found.all
        plan = try MigrationPlan(
            mapping: from, to: to, schemaName: schemaName,
            changes: mappingModel.entityMappings.map { "\($0.name): \($0.mappingType.rawValue)" }
                + mappingModel.warnings(from: from, to: to).map(\.message),
            passes: passes.enumerated().map { $1.step($0) }, readsWhatItMakes: found.needsObjects)
    }

    /// An entity that nothing is said of is more likely forgotten than meant to go.
    private static func checkLosses(
        _ mappingModel: MappingModel, _ model: ManagedObjectModel, _ confirmedDrops: Set<String>
    ) throws(MigrationError) {
        let refusals = mappingModel.entitiesLeftBehind(of: model).filter { !confirmedDrops.contains($0) }.map
        {
            MigrationRefusal(
                entity: $0, property: nil,
                message:
                    "\($0): no entity mapping takes its objects, which would be lost; add one, of the type remove where they may "
                    + "go, or confirm with \"\($0)\" in confirmedDrops or --confirm-drop \($0)",
                confirmation: $0)
        }
        guard !refusals.isEmpty else { return }
        throw MigrationError(
            .notInferable,
            (["The mapping leaves entities behind:"] + refusals.map { "- " + $0.message }).joined(
                separator: "\n"),
            refusals: refusals)
    }
}
