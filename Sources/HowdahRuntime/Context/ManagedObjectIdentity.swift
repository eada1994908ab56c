public import HowdahModel

/// What gives every managed object an id typed by its own class; `ManagedObject` conforms, subclasses inherit.
public protocol ManagedObjectIdentity: ManagedObject {}

extension ManagedObject: ManagedObjectIdentity {}

extension ManagedObjectIdentity {
    /// The object's id, typed by its class; temporary until the first save.
    ///
    /// Ids are Sendable: this is what leaves `perform` in place of the object.
    public var objectID: ObjectID<Self> {
        ObjectID(
            storeIdentifier: managedObjectContext?.store.identifier ?? layout.storeIdentifier,
            entityName: layout.storedName, key: resolved.key)
    }
}
