/// The objects of one hierarchy in one context, by key: open addressing, unretained.
///
/// An object leaves the map while it is being destroyed, so that the map keeps nothing alive; the context is
/// confined to one thread at a time, so that nobody can look an object up while that happens.
struct IdentityMap: ~Copyable {
    private var keys: UnsafeMutablePointer<Int64>
    private var objects: UnsafeMutablePointer<Unmanaged<ManagedObject>?>
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 16
        keys = .allocate(capacity: capacity)
        objects = .allocate(capacity: capacity)
        objects.initialize(repeating: nil, count: capacity)
    }

    deinit {
        keys.deallocate()
        objects.deallocate()
    }

    @inline(__always)
    private func home(of key: Int64) -> Int {
        // Fibonacci hashing: neighbouring keys come to lie far enough apart, and the shift is one instruction.
        let spread = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: spread >> 32) & (capacity &- 1)
    }

    func find(_ key: Int64) -> ManagedObject? {
        var place = home(of: key)
        while let object = objects[place] {
            if keys[place] == key { return object.takeUnretainedValue() }
            place = (place &+ 1) & (capacity &- 1)
        }
        return nil
    }

    /// Adds an object under a key that is not in use.
    mutating func insert(_ object: ManagedObject, _ key: Int64) {
        if (count &+ 1) &* 4 > capacity &* 3 { grow() }
        place(Unmanaged.passUnretained(object), key)
        count += 1
    }

    /// Takes out the object under a key if it is this one.
    mutating func remove(_ object: ManagedObject, _ key: Int64) {
        var hole = home(of: key)
        while let found = objects[hole] {
            if keys[hole] == key {
                guard found.toOpaque() == Unmanaged.passUnretained(object).toOpaque() else { return }
                break
            }
            hole = (hole &+ 1) & (capacity &- 1)
        }
        guard objects[hole] != nil else { return }
        count -= 1
        // Later entries of the run move up, so that no look-up stops at the hole.
        var next = (hole &+ 1) & (capacity &- 1)
        while let moved = objects[next] {
            let wanted = home(of: keys[next])
            let distance = (next &- wanted) & (capacity &- 1)
            if distance >= (next &- hole) & (capacity &- 1) {
                keys[hole] = keys[next]
                objects[hole] = moved
                hole = next
            }
            next = (next &+ 1) & (capacity &- 1)
        }
        objects[hole] = nil
    }

    mutating func reserve(_ additional: Int) {
        while (count + additional) * 4 > capacity * 3 { grow() }
    }

    /// All objects, retained while the caller looks at them.
    var all: [ManagedObject] {
        var found: [ManagedObject] = []
        found.reserveCapacity(count)
        for place in 0..<capacity {
            if let object = objects[place] { found.append(object.takeUnretainedValue()) }
        }
        return found
    }

    private mutating func place(_ object: Unmanaged<ManagedObject>, _ key: Int64) {
        var place = home(of: key)
        while objects[place] != nil { place = (place &+ 1) & (capacity &- 1) }
        keys[place] = key
        objects[place] = object
    }

    private mutating func grow() {
        let (oldKeys, oldObjects, oldCapacity) = (keys, objects, capacity)
        capacity *= 2
        keys = .allocate(capacity: capacity)
        objects = .allocate(capacity: capacity)
        objects.initialize(repeating: nil, count: capacity)
        for index in 0..<oldCapacity {
            if let object = oldObjects[index] { place(object, oldKeys[index]) }
        }
        oldKeys.deallocate()
        oldObjects.deallocate()
    }
}
