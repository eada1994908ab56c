public import HowdahModel

extension PersistentContainer {
    /// Returns the id of a `pathComponent` in this store, such as `Issue-p4711`; nil if the text is not one.
    ///
    /// It is nil also if the entity is not that of the class or of a subclass. So the id of another entity in a URL is
    /// the same as one that does not exist. The call sends no statement and does not check that the object exists.
    ///
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - text: The text, as a router extracts it from the path.
    public func objectID<Object: ManagedObject>(
        _ type: Object.Type = Object.self, pathComponent text: String
    ) -> ObjectID<Object>? {
        store.objectID(type, pathComponent: text)
    }
}

extension ManagedObjectContext {
    /// Returns the id of a `pathComponent` in this store; nil if the text is not one.
    ///
    /// It is the same as the container's, for text that you read from an object, such as the arguments of a job.
    public func objectID<Object: ManagedObject>(
        _ type: Object.Type = Object.self, pathComponent text: String
    ) -> ObjectID<Object>? {
        store.objectID(type, pathComponent: text)
    }
}

extension Store {
    fileprivate func objectID<Object: ManagedObject>(
        _ type: Object.Type, pathComponent text: String
    ) -> ObjectID<Object>? {
        guard let id = ObjectID<Object>(pathComponent: text, storeIdentifier: identifier),
            let layout = layouts.layout(storedName: id.entityName)
        else { return nil }
        if type != ManagedObject.self {
            guard let wanted = self.layout(of: type), wanted.family.contains(layout.index) else {
                return nil
            }
        }
        return id
    }
}
