extension ManagedObjectModel {
    /// Returns a fetch request from one of the model's templates, with values for the variables of its
    /// predicate.
    ///
    /// It has the template's order, limit, batch size and `includes…`. `ManagedObjectContext.execute(_:)`
    /// also uses the template's result type and distinct results.
    ///
    /// Source: Core Data's `fetchRequestFromTemplate(withName:substitutionVariables:)`.
    ///
    /// - Throws: ``PredicateTreeError`` if the predicate cannot be parsed, a variable has no value
    ///   (`unboundVariable`), or the template is unknown (`unknownTemplate`).
    public func fetchRequest<Object>(
        fromTemplate name: String, substituting values: [String: (any Sendable)?] = [:],
        of type: Object.Type = Object.self
    ) throws -> FetchRequest<Object> {
        guard let template = fetchRequestTemplates[name] else {
            let names = fetchRequestTemplates.keys.sorted().joined(separator: ", ")
            throw PredicateTreeError(
                .unknownTemplate,
                "The model has no fetch request \"\(name)\". "
                    + "\(names.isEmpty ? "Add the fetch request to the model." : "Use one of \(names).")",
                token: name)
        }
        return try template.request(substituting: values)
    }
}

extension FetchRequestTemplate {
    /// Returns the request, with values for the variables of its predicate.
    package func request<Object>(
        substituting values: [String: (any Sendable)?]
    ) throws(PredicateTreeError) -> FetchRequest<Object> {
        var request: FetchRequest<Object> = requestForAll()
        if let predicateFormat {
            let tree = try PredicateTree(format: predicateFormat).withSubstitutionVariables(values)
            if let missing = tree.variables.sorted().first {
                throw PredicateTreeError(
                    .unboundVariable, "The variable $\(missing) has no value. Set a value for $\(missing).",
                    token: "$\(missing)")
            }
            request.predicate = tree
        }
        return request
    }

    /// Returns the request without its predicate.
    package func requestForAll<Object>() -> FetchRequest<Object> {
        var request = FetchRequest<Object>(entityName: entityName)
        request.sortDescriptors = sortDescriptors.map {
            SortKey(keyPath: $0.keyPath, ascending: $0.isAscending)
        }
        request.fetchLimit = fetchLimit
        request.fetchBatchSize = fetchBatchSize
        request.resultType = resultType
        request.returnsDistinctResults = returnsDistinctResults
        request.includesSubentities = includesSubentities
        request.includesPropertyValues = includesPropertyValues
        request.returnsObjectsAsFaults = returnsObjectsAsFaults
        return request
    }
}
