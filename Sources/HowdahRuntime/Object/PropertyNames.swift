import Synchronization

/// The model's names of key paths, from the lists of classes and composites.
enum PropertyNames {
    /// The table of each root; a table is never released.
    private static let tables = Mutex<[ObjectIdentifier: Table]>([:])
    private static let size = 256
    // Sound: the words are atomic, and never released.
    /// The addresses of tables, for which threads need no lock. A table may replace another one.
    nonisolated(unsafe) private static let words: UnsafeMutablePointer<Atomic<UInt>> = {
        let words = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: size)
        for place in 0..<size { (words + place).initialize(to: Atomic(0)) }
        return words
    }()

    /// Returns the name of the property at `keyPath`. If its root does not list the path, the result is nil.
    static func name(of keyPath: AnyKeyPath) -> String? { table(of: keyPath)?.names[keyPath] }

    /// Returns a Boolean value that indicates whether `keyPath` is that of an object's id.
    static func isObjectID(_ keyPath: AnyKeyPath) -> Bool { table(of: keyPath)?.objectID == keyPath }

    private static func table(of keyPath: AnyKeyPath) -> Table? {
        let root = type(of: keyPath).rootType
        let address = UInt(bitPattern: ObjectIdentifier(root))
        let place = Int(truncatingIfNeeded: (address >> 4) ^ (address >> 12)) & (size - 1)
        if let known = UnsafeRawPointer(bitPattern: words[place].load(ordering: .acquiring)) {
            let table = Unmanaged<Table>.fromOpaque(known).takeUnretainedValue()
            if table.root == ObjectIdentifier(root) { return table }
        }
        guard let table = slowTable(of: root) else { return nil }
        words[place].store(UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque()), ordering: .releasing)
        return table
    }

    private static func slowTable(of root: Any.Type) -> Table? {
        if let table = tables.withLock({ $0[ObjectIdentifier(root)] }) { return table }
        // Outside of the lock: the list is made by user code.
        guard let table = Table(root) else { return nil }
        return tables.withLock { tables in
            // The first one stays: others may have its address.
            if let first = tables[ObjectIdentifier(root)] { return first }
            tables[ObjectIdentifier(root)] = table
            return table
        }
    }

    /// `@unchecked Sendable` is sound: key paths without captured values are immutable, and still not
    /// Sendable.
    private final class Table: @unchecked Sendable {
        let root: ObjectIdentifier
        let names: [AnyKeyPath: String]
        /// The key path of the id, which costs a microsecond to make; nil for composites.
        let objectID: AnyKeyPath?

        init?(_ root: Any.Type) {
            self.root = ObjectIdentifier(root)
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
