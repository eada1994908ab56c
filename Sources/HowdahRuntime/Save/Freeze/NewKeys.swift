import PQClient

/// The permanent keys of a save's new objects, taken before anything is written.
///
/// So rows can refer to each other in any order. Objects keep their temporary ids until the save has
/// succeeded.
struct NewKeys {
    private var keys: [ObjectIdentifier: Int64] = [:]

    var isEmpty: Bool { keys.isEmpty }

    /// Creates the keys of no objects.
    init() {}

    init(_ inserted: [ManagedObject], _ allocators: KeyAllocators, _ connection: Connection) throws {
        if inserted.isEmpty {
            self.init()
            return
        }
        let unkeyed = inserted.filter { $0.key < 0 }
        guard !unkeyed.isEmpty else {
            self.init([], [])
            return
        }
        do {
            self.init(unkeyed, try allocators.take(for: unkeyed, on: connection))
        } catch var error as PostgresError {
            // Drawing numbers stores nothing.
            error.mayHaveCommitted = false
            throw error
        }
    }

    /// Assigns each object a key.
    init(_ objects: [ManagedObject], _ given: [Int64]) {
        keys.reserveCapacity(objects.count)
        for (object, key) in zip(objects, given) { keys[ObjectIdentifier(object)] = key }
    }

    /// Returns the key of an object after the save.
    subscript(object: ManagedObject) -> Int64 {
        keys.isEmpty ? object.key : keys[ObjectIdentifier(object)] ?? object.key
    }
}
