import Foundation
import HowdahModel

extension ManagedObjectContext {
    /// Returns the objects that a fetched property finds. The result stays the same until the object is
    /// refreshed.
    func fetchObjects(of property: FetchedProperty, for object: ManagedObject) -> [ManagedObject] {
        if let known = registry.fetchedObjects(of: object, property.name) { return known }
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
            registry.keep(found, of: object, property.name)
        }
        return found
    }
}
