package import HowdahModel
package import HowdahSchema

extension MigrationPlan {
    /// The steps of a stage with a mapping: the old tables are set aside, new ones made, filled by the passes, held to the
    /// rules of the new model, and the old ones removed.
    ///
    /// - Parameters:
    ///   - passes: steps with their numbers among them.
    ///   - readsWhatItMakes: whether passes find new objects, by ids and relationships; indexes are then made before.
    /// - Throws: `MigrationError` with `invalidModel`.
    package init(
        mapping old: ManagedObjectModel, to new: ManagedObjectModel, schemaName: String,
        changes: [String], warnings: [String], passes: [MigrationStep], readsWhatItMakes: Bool
    ) throws(MigrationError) {
        let nothing: ManagedObjectModel
        let (before, aside, after, empty): (StoreSchema, StoreSchema, StoreSchema, StoreSchema)
        do {
            nothing = try ManagedObjectModel(entities: [])
            before = try StoreSchema(old, schemaName: schemaName)
            aside = try StoreSchema(old, schemaName: AsideSchema.name(for: schemaName))
            after = try StoreSchema(new, schemaName: schemaName)
            empty = try StoreSchema(nothing, schemaName: schemaName)
        } catch {
            throw MigrationError(.invalidModel, error.description)
        }
        if let refusal = after.refusalOfOwnStore { throw MigrationError(.invalidModel, refusal) }
        // As if all rows came from elsewhere: tables are made without rules, which follow with looks at the rows.
        var planner = MigrationPlanner(ModelPairing(from: nothing, to: new), from: empty, to: after)
        planner.keysLate = !readsWhatItMakes
        planner.matchTables()
        for name in planner.flows.keys { planner.flows[name]?.movesRows = true }
        planner.alterColumns()
        planner.tightenColumns()
        planner.changeRules()
        planner.deriveValues()
        planner.checkCounts(
            remedy:
                "Correct the number of members in a mapping or a migration policy, or change the bounds in the model"
        )
        let early: Set<MigrationPlanner.Phase> = readsWhatItMakes ? [.create, .indexes] : [.create]
        let place = AsideSchema(old: before, aside: aside, new: after)
        let associations = AssociationTable.table(in: schemaName)
        self.init(
            fromChecksum: old.versionChecksum, toChecksum: new.versionChecksum, schemaName: schemaName,
            changes: changes, warnings: warnings,
            steps: [place.arrival] + planner.steps { early.contains($0) }
                + [
                    MigrationStep(
                        "table of associations", on: [AssociationTable.name],
                        AssociationTable.creation(in: schemaName), lock: .none)
                ] + passes
                + [
                    MigrationStep(
                        "table of associations removed", on: [AssociationTable.name],
                        ["DROP TABLE \(associations)"], lock: .none)
                ] + planner.steps { !early.contains($0) } + [place.attachments, place.departure],
            lockedTables: before.tables.map(\.name).sorted())
    }
}
