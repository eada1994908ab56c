import HowdahModel
import HowdahRuntime

extension GraphApplication {
    /// A target that outlives its records: an object in the context gets its permanent id with the save.
    enum LastingTarget {
        case target(GraphTarget)
        case object(ManagedObject)
    }

    func target(_ target: GraphTarget) -> LastingTarget {
        if case .record(let index) = target, let object = object(index) { return .object(object) }
        // Names and keys are looked up when all lines are in; keys may lead to records by way of others.
        return .target(target)
    }

    /// Returns the place of the first record of each object.
    func places() -> [ObjectIdentifier: GraphPlace] {
        var places: [ObjectIdentifier: GraphPlace] = [:]
        for index in matching.records.indices where matching.canonical[index] == index {
            if let object = objects[index] {
                places[ObjectIdentifier(object)] = matching.records[index].place
            }
        }
        return places
    }

    /// Returns the error of a save with the place of the object concerned.
    func located(_ error: SaveError) -> any Error {
        for id in error.objectIDs {
            guard
                let index = matching.records.indices.first(where: { object($0)?.objectID == id }),
                let object = object(index)
            else { continue }
            return error.refusal(of: object, at: matching.records[index].place)
        }
        // Objects that the lines do not name themselves: what leads to them was taken.
        for id in error.objectIDs {
            if let object = context.registeredObject(for: id) {
                return error.refusal(of: object, at: GraphPlace())
            }
        }
        return error
    }
}

extension SaveError {
    /// The objects that the error names.
    var objectIDs: [ObjectID<ManagedObject>] { issues.compactMap(\.objectID) + conflicts.map(\.objectID) }

    /// Returns the error of an import because of this error, for one of its objects.
    func refusal(of object: ManagedObject, at place: GraphPlace) -> GraphError {
        let id: ObjectID<ManagedObject> = object.objectID
        let issue = issues.first { $0.objectID == id }
        let conflict = conflicts.first { $0.objectID == id }
        return GraphError(
            .refused, issue?.message ?? conflict?.description ?? message, at: place, entity: object.layout,
            property: issue?.propertyName)
    }
}
