public import HowdahModel

extension ManagedObjectIdentity {
    /// The object's id, typed by its class; temporary until the first save.
    ///
    /// Ids are Sendable: return one from `perform` instead of the object.
    public var objectID: ObjectID<Self> {
        ObjectID(
            storeIdentifier: managedObjectContext?.store.identifier ?? layout.storeIdentifier,
            entityName: layout.storedName, key: resolved.key)
    }

    /// The context that the object belongs to; nil after that ended.
    public var managedObjectContext: ManagedObjectContext? { resolved.owner as? ManagedObjectContext }
}
