extension ManagedObjectModel {
    /// Creates a model of `entities`.
    ///
    /// - Throws: ``ModelError`` with ``ModelError/Code/invalidModel``, which lists all issues.
    public init(
        entities: [EntityDescription], configurations: [String: [String]] = [:],
        fetchRequestTemplates: [String: FetchRequestTemplate] = [:], versionIdentifier: String? = nil
    ) throws(ModelError) {
        self.init(
            unchecked: entities, configurations: configurations,
            fetchRequestTemplates: fetchRequestTemplates, versionIdentifier: versionIdentifier)
        var validation = ModelValidation(model: self)
        validation.run()
        guard validation.issues.isEmpty else {
            throw ModelError(.invalidModel, issues: validation.issues)
        }
    }
}
