extension MappingModel {
    /// The mapping model with nothing left open: expressions that are generated, types and version hashes are filled in
    /// from the two models.
    ///
    /// - Throws: ``MappingModelError`` with everything that does not fit the models.
    public func resolved(
        from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) throws(MappingModelError) -> MappingModel {
        let resolution = MappingResolution(of: self, from: source, to: destination)
        var validation = MappingValidation(of: resolution.mappingModel, from: source, to: destination)
        validation.run()
        guard validation.issues.isEmpty else { throw MappingModelError(validation.issues) }
        return resolution.withVersionHashes
    }

    /// Warnings: valid but probably unintended mappings, independent of validation issues.
    public func warnings(
        from source: ManagedObjectModel, to destination: ManagedObjectModel
    ) -> [MappingIssue] {
        let left = entitiesLeftBehind(of: source).map {
            MappingIssue(
                .unmappedEntity, nil, nil,
                "No entity mapping has the source \($0), so its objects are not migrated. Add a mapping for "
                    + "\($0), or confirm this with a mapping of the type remove."
            )
        }
        let resolution = MappingResolution(of: self, from: source, to: destination)
        var validation = MappingValidation(of: resolution.mappingModel, from: source, to: destination)
        validation.run()
        return left + validation.warnings
    }

    /// The entities that may have objects, and that no entity mapping takes.
    package func entitiesLeftBehind(of source: ManagedObjectModel) -> [String] {
        let mapped = Set(entityMappings.compactMap(\.sourceEntityName))
        return source.entities.filter { !$0.isAbstract && !mapped.contains($0.name) }.map(\.name)
    }
}
