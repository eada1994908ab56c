extension ManagedObjectIdentity {
    /// The objects that a fetched property finds, in the order of its request.
    ///
    /// One statement the first time, none after that: the result is kept until the object is refreshed or becomes a
    /// fault, whatever is saved meanwhile. Unsaved objects are found as by other fetches. A fetch that fails gives no
    /// objects, and the context tells why, as for faults. A name that is no
    /// fetched property's gives no objects and fails the context.
    ///
    /// Source: Core Data's fetched properties.
    public func fetchedObjects<Target: ManagedObject>(
        forKey key: String, as type: Target.Type = Target.self
    ) -> [Target] {
        guard let property = layout.fetchedProperties[key] else {
            refuse("\(layout.name) has no fetched property named '\(key)'; see its model.")
            return []
        }
        return fetched(property).compactMap { $0 as? Target }
    }
}

extension ManagedObject {
    final func fetched(_ property: FetchedProperty) -> [ManagedObject] {
        if _flags.contains(.forwarding) { return resolved.fetched(property) }
        guard let owner, !_flags.contains(.detached) else { return [] }
        return owner.fetchObjects(of: property, for: self)
    }
}
