import Synchronization

/// The model's names of key paths, from the lists of classes and composites.
enum PropertyNames {
    private static let tables = Mutex<[ObjectIdentifier: Table]>([:])

    /// Returns the name of the property at `keyPath`. If its root does not list the path, the result is nil.
    static func name(of keyPath: AnyKeyPath) -> String? { table(of: keyPath)?.names[keyPath] }

    /// Returns a Boolean value that indicates whether `keyPath` is that of an object's id.
    static func isObjectID(_ keyPath: AnyKeyPath) -> Bool { table(of: keyPath)?.objectID == keyPath }

    private static func table(of keyPath: AnyKeyPath) -> Table? {
        let root = type(of: keyPath).rootType
        if let table = tables.withLock({ $0[ObjectIdentifier(root)] }) { return table }
        // Outside of the lock: the list is made by user code.
        guard let table = Table(root) else { return nil }
        tables.withLock { $0[ObjectIdentifier(root)] = table }
        return table
    }

    /// `@unchecked Sendable` is sound: key paths without captured values are immutable, and still not
    /// Sendable.
    private struct Table: @unchecked Sendable {
        let names: [AnyKeyPath: String]
        /// The key path of the id, which costs a microsecond to make; nil for composites.
        let objectID: AnyKeyPath?

        init?(_ root: Any.Type) {
            let list: [_PropertyKeyPath]
            switch root {
            case let type as ManagedObject.Type: list = type._keyPaths
            case let type as any CompositeValue.Type: list = type._keyPaths
            default: return nil
            }
            objectID = (root as? any ManagedObjectIdentity.Type).map { Self.objectID(of: $0) }
            names = Dictionary(list.map { ($0.keyPath, $0.name) }) { first, _ in first }
        }

        /// Only a protocol opens to the type itself: a class opens to its superclass.
        private static func objectID<Root: ManagedObjectIdentity>(of root: Root.Type) -> AnyKeyPath {
            \Root.objectID
        }
    }
}
