public import HowdahModel

extension ManagedObjectIdentity {
    /// The object's id, typed by its class; temporary until the first save.
    ///
    /// Ids are Sendable: this is what leaves `perform` in place of the object.
    public var objectID: ObjectID<Self> {
        ObjectID(
            storeIdentifier: managedObjectContext?.store.identifier ?? layout.storeIdentifier,
            entityName: layout.storedName, key: resolved.key)
    }

    /// The context the object belongs to; nil once that ended.
    public var managedObjectContext: ManagedObjectContext? { resolved.owner as? ManagedObjectContext }
}
