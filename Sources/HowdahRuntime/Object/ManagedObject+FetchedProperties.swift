extension ManagedObjectIdentity {
    /// Returns the objects that a fetched property finds, in the order of its request.
    ///
    /// The first call sends one statement, and later calls none. The result is kept until the object is
    /// refreshed or becomes a fault, even if you save in between. Unsaved objects are found as by other
    /// fetches.
    ///
    /// If the fetch fails, the result is empty and the context fails, as for faults. The same happens if the
    /// entity has no fetched property of that name.
    ///
    /// Source: Core Data's fetched properties.
    public func fetchedObjects<Target: ManagedObject>(
        forKey key: String, as type: Target.Type = Target.self
    ) -> [Target] {
        guard let property = layout.fetchedProperties[key] else {
            refuse("\(layout.name) has no fetched property named '\(key)'. Correct the name.")
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
