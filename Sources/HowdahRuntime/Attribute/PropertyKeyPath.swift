/// A property's key path and its name in the model.
///
/// Swift cannot report a key path's name, so classes list theirs: see `ManagedObject._keyPaths`.
public struct _PropertyKeyPath {
    /// The path of one property, from the class that lists it.
    public let keyPath: AnyKeyPath
    /// The property's name in the model.
    public let name: String

    /// Creates the name of `keyPath`.
    public init(_ keyPath: AnyKeyPath, _ name: String) {
        self.keyPath = keyPath
        self.name = name
    }
}
