import Foundation

extension ManagedObjectIdentity {
    /// Returns the values of the named properties, each as ``value(forKey:)`` returns it.
    ///
    /// If the entity does not have a name, its value is nil and the context fails, as with
    /// ``value(forKey:)``.
    ///
    /// Source: Core Data's `dictionaryWithValues(forKeys:)`, which has `NSNull` for nil.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any?] {
        keys.reduce(into: [:]) { values, key in values.updateValue(value(forKey: key), forKey: key) }
    }

    /// Sets the properties that the dictionary names, each as ``setValue(_:forKey:)`` does, in the order of
    /// their names.
    ///
    /// `NSNull`, which `JSONSerialization` uses, means nil. If the entity does not have a name, or a property
    /// cannot hold its value, the context fails. The other properties are set.
    ///
    /// Source: Core Data's `setValuesForKeys(_:)`.
    public func setValuesForKeys(_ values: [String: Any?]) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            setValue(value is NSNull ? nil : value, forKey: key)
        }
    }
}
