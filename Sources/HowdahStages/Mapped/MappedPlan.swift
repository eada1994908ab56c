import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSchema

/// The plan of a stage with a mapping model, computed only from the two models, without a server.
struct MappedPlan: Sendable {
    let mappingModel: MappingModel
    let layouts: MappingLayouts
    let passes: [MappedPass]
    let plan: MigrationPlan
    /// The losses of the mapping.
    let losses: [ModelLoss]

    /// - Throws: `MigrationError` with `invalidMapping`, naming all misfits; or `invalidModel`.
    init(
        _ stage: MappedMigrationStage, from: ManagedObjectModel, to: ManagedObjectModel, schemaName: String,
        storeIdentifier: UUID, transformers: [AttributeTransformer]
    ) throws(MigrationError) {
        do throws(MappingModelError) {
            mappingModel = try stage.mappingModel.resolved(from: from, to: to)
        } catch {
            throw MigrationError(.invalidMapping, error.message, underlyingError: error)
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
            throw MigrationError(
                .invalidMapping, "The mapping model cannot be used: \(error)", underlyingError: error)
        }
        guard found.issues.isEmpty else {
            throw MigrationError(
                .invalidMapping,
                (["The migration cannot run the mapping model:"] + found.issues.map { "- " + $0 }).joined(
                    separator: "\n"))
        }
        losses = mappingModel.losses(from: from)
        passes = found.all
        plan = try MigrationPlan(
            mapping: from, to: to, schemaName: schemaName,
            changes: mappingModel.entityMappings.map { "\($0.name): \($0.mappingType.rawValue)" },
            warnings: mappingModel.warnings(from: from, to: to).map(\.message),
            passes: passes.enumerated().map { $1.step($0) }, readsWhatItMakes: found.needsObjects)
    }
}

extension MappingModel {
    /// Returns the parts that no mapping uses, of entities that are not removed.
    ///
    /// These are objects of entities without a mapping, and properties that no expression of their entity's
    /// mappings names. A migration policy may use everything.
    fileprivate func losses(from model: ManagedObjectModel) -> [ModelLoss] {
        let mappings = Dictionary(grouping: entityMappings) { $0.sourceEntityName ?? "" }
        var read: [String: [[String]]] = [:]
        for (entity, mappings) in mappings {
            read[entity] = mappings.flatMap { $0.attributeMappings + $0.relationshipMappings }
                .compactMap(\.valueExpression).flatMap(\.sourcePaths)
        }
        func isCarried(_ entity: EntityDescription, _ path: [String]) -> Bool {
            let all = mappings[entity.name] ?? []
            // What lies behind a relationship is not the relationship.
            let isLink = model.property(named: path[0], of: entity.name)?.relationship != nil
            return all.allSatisfy { $0.mappingType == .remove }
                || all.contains { $0.entityMigrationPolicyClassName != nil }
                || read[entity.name]?.contains { isLink ? $0 == path : path.starts(with: $0) } ?? false
        }
        return ModelLoss.all(
            from: model, isGone: { mappings[$0.name] == nil }, isCarried: isCarried,
            isCarriedFrom: { end, name, _ in isCarried(end, [name]) }
        ).map(\.ofMapping)
    }
}
