import Synchronization

/// The model's names of key paths, from the lists of classes and composites.
enum PropertyNames {
    private static let tables = Mutex<[ObjectIdentifier: Table]>([:])

    /// Returns the name of the property at `keyPath`. If its root does not list the path, the result is nil.
    static func name(of keyPath: AnyKeyPath) -> String? {
        let root = type(of: keyPath).rootType
        if let table = tables.withLock({ $0[ObjectIdentifier(root)] }) { return table.names[keyPath] }
        // Outside of the lock: the list is made by user code.
        guard let table = Table(root) else { return nil }
        tables.withLock { $0[ObjectIdentifier(root)] = table }
        return table.names[keyPath]
    }

    /// `@unchecked Sendable` is sound: key paths without captured values are immutable, and still not
    /// Sendable.
    private struct Table: @unchecked Sendable {
        let names: [AnyKeyPath: String]

        init?(_ root: Any.Type) {
            let list: [_PropertyKeyPath]
            switch root {
            case let type as ManagedObject.Type: list = type._keyPaths
            case let type as any CompositeValue.Type: list = type._keyPaths
            default: return nil
            }
            names = Dictionary(list.map { ($0.keyPath, $0.name) }) { first, _ in first }
        }
    }
}
