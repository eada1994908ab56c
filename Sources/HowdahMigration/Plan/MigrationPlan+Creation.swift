package import HowdahModel
internal import HowdahSchema

extension MigrationPlan {
    /// What makes an empty store of a model: everything that is run, in one transaction, of which nobody else has anything.
    ///
    /// - Parameter includingSchema: whether the PostgreSQL schema is made, too.
    /// - Throws: ``MigrationError`` with `invalidModel`.
    package init(
        creating model: ManagedObjectModel, schemaName: String, includingSchema: Bool
    ) throws(MigrationError) {
        let schema: StoreSchema
        do {
            schema = try StoreSchema(model, schemaName: schemaName)
        } catch {
            throw MigrationError(.invalidModel, error.description)
        }
        if let refusal = schema.refusalOfOwnStore { throw MigrationError(.invalidModel, refusal) }
        let creation = SchemaCreation(schema, includingSchema: includingSchema)
        var steps = creation.probes.map { probe in
            MigrationStep(
                "the server supports the expressions of \(probe.origin.place)", on: [], [probe.sql],
                lock: .none)
        }
        steps += creation.parts.map { MigrationStep($0.reason, on: [], [$0.statement], lock: .none) }
        steps.append(
            MigrationStep(
                "record of the store's model", on: [], [StoreMetadata.insertion(for: schema)], lock: .none))
        self.init(
            fromChecksum: "", toChecksum: model.versionChecksum, schemaName: schemaName,
            changes: schema.tables.map { "table \($0.name) added" }, steps: steps, lockedTables: [])
    }
}
