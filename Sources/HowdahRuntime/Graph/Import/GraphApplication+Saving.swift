import HowdahModel

extension GraphApplication {
    /// A target that outlives its records: what is in the context gets its permanent id with the save.
    enum LastingTarget {
        case target(GraphTarget)
        case object(ManagedObject)
    }

    func target(_ target: GraphTarget) -> LastingTarget {
        if case .record(let index) = target, let object = object(index) { return .object(object) }
        // Names and keys are looked up when all lines are in; keys may lead to records by way of others.
        return .target(target)
    }

    /// The error of a save with the place of the object that it is about.
    func located(_ error: SaveError) -> any Error {
        for issue in error.issues {
            guard let id = issue.objectID,
                let index = matching.records.indices.first(where: { index in
                    object(index).map { $0.objectID == id } ?? false
                })
            else { continue }
            let record = matching.records[index]
            return GraphError(
                .refused, issue.message, at: record.place, entity: object(index)?.layout ?? record.entity,
                property: issue.property)
        }
        return error
    }
}
