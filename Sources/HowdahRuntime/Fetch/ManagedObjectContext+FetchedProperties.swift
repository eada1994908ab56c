import Foundation
import HowdahModel

extension ManagedObjectContext {
    /// The objects that a fetched property finds: from the first time on the same, until the object is refreshed.
    func fetchObjects(of property: FetchedProperty, for object: ManagedObject) -> [ManagedObject] {
        let identifier = ObjectIdentifier(object)
        if let known = fetchedObjects[identifier]?[property.name] { return known }
        guard failure == nil else { return [] }
        var found: [ManagedObject] = []
        guarded {
            do {
                found = try fetch(property.request(for: object))
            } catch let error as PredicateTreeError {
                let id: ObjectID<ManagedObject> = object.objectID
                throw FetchError(
                    .invalidRequest, "\(object.layout.name).\(property.name) cannot be fetched: \(error)",
                    objectURI: id.uriRepresentation.absoluteString)
            }
            try throwFailure()
            fetchedObjects[identifier, default: [:]][property.name] = found
        }
        return found
    }

    func forgetFetchedObjects(of object: ManagedObject) {
        if fetchedObjects.isEmpty { return }
        // Freed after the dictionary was changed: objects that go with it come back here.
        let former = fetchedObjects.removeValue(forKey: ObjectIdentifier(object))
        withExtendedLifetime(former) {}
    }

    func forgetFetchedObjects() {
        let former = fetchedObjects
        fetchedObjects = [:]
        withExtendedLifetime(former) {}
    }
}
