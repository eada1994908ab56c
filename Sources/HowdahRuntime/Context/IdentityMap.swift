internal import CSwiftRuntime

/// The objects of one hierarchy in one context, by key: open addressing, unretained unless the context says
/// otherwise.
///
/// An object leaves the map while it is being destroyed, so the map keeps none alive. The `deinit` of a
/// program's class runs before that, and can read the context. If an object's destruction has begun, the map
/// does not return it, and another object of the same row can have its key.
struct IdentityMap: ~Copyable {
    private struct Entry {
        var key: Int64
        var object: Unmanaged<ManagedObject>?
    }

    private var entries: UnsafeMutablePointer<Entry>
    private var capacity: Int
    private(set) var count = 0
    private var isRetaining: Bool

    init(isRetaining: Bool = false) {
        self.isRetaining = isRetaining
        capacity = 16
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: Entry(key: 0, object: nil), count: capacity)
    }

    deinit {
        if isRetaining {
            for place in 0..<capacity where entries[place].object?.isLiving == true {
                entries[place].object?.release()
            }
        }
        entries.deallocate()
    }

    /// Begins or ends to retain the objects.
    ///
    /// It returns the objects, which the caller releases when it is done with the map: each that ends then
    /// leaves it.
    mutating func retain(_ isRetaining: Bool) -> [ManagedObject] {
        let objects = all
        guard isRetaining != self.isRetaining else { return objects }
        self.isRetaining = isRetaining
        for object in objects {
            if isRetaining {
                _ = Unmanaged.passRetained(object)
            } else {
                Unmanaged.passUnretained(object).release()
            }
        }
        return objects
    }

    @inline(__always)
    private func home(of key: Int64) -> Int {
        // Fibonacci hashing: neighbouring keys come to lie far enough apart, and the shift is one instruction.
        // Four of them stay side by side, in one line of the processor's cache: keys mostly come in runs.
        let bits = UInt64(bitPattern: key)
        let spread = (bits >> 2) &* 0x9E37_79B9_7F4A_7C15
        return (Int(truncatingIfNeeded: spread >> 32) << 2 | Int(truncatingIfNeeded: bits & 3))
            & (capacity &- 1)
    }

    func find(_ key: Int64) -> ManagedObject? {
        var place = home(of: key)
        while let object = entries[place].object {
            if entries[place].key == key, let found = object.living { return found }
            place = (place &+ 1) & (capacity &- 1)
        }
        return nil
    }

    /// Adds an object under an unused key.
    mutating func insert(_ object: ManagedObject, _ key: Int64) {
        if (count &+ 1) &* 16 > capacity &* 13 { grow(to: capacity * 2) }
        place(
            Entry(key: key, object: isRetaining ? .passRetained(object) : .passUnretained(object)))
        count += 1
    }

    /// Removes the object under a key if it is this one.
    mutating func remove(_ object: ManagedObject, _ key: Int64) {
        var hole = home(of: key)
        while let found = entries[hole].object {
            if entries[hole].key == key, found.toOpaque() == Unmanaged.passUnretained(object).toOpaque() {
                break
            }
            hole = (hole &+ 1) & (capacity &- 1)
        }
        guard let found = entries[hole].object else { return }
        // The caller has the object, so that it does not end here. One whose `deinit` runs is not retained.
        if isRetaining, found.isLiving { found.release() }
        count -= 1
        // Later entries of the run move up, so that no look-up stops at the hole.
        var next = (hole &+ 1) & (capacity &- 1)
        while entries[next].object != nil {
            let wanted = home(of: entries[next].key)
            let distance = (next &- wanted) & (capacity &- 1)
            if distance >= (next &- hole) & (capacity &- 1) {
                entries[hole] = entries[next]
                hole = next
            }
            next = (next &+ 1) & (capacity &- 1)
        }
        entries[hole].object = nil
    }

    /// Removes all objects and returns them. The caller releases them when it is done with the map.
    mutating func removeAll() -> [ManagedObject] {
        let objects = all
        if isRetaining { for object in objects { Unmanaged.passUnretained(object).release() } }
        count = 0
        if capacity > 16 {
            entries.deallocate()
            capacity = 16
            entries = .allocate(capacity: capacity)
        }
        entries.initialize(repeating: Entry(key: 0, object: nil), count: capacity)
        return objects
    }

    mutating func reserve(_ additional: Int) {
        var wanted = capacity
        while (count + additional) * 16 > wanted * 13 { wanted *= 2 }
        if wanted > capacity { grow(to: wanted) }
    }

    /// All objects except those whose destruction has begun, retained while the caller uses them.
    var all: [ManagedObject] {
        var found: [ManagedObject] = []
        found.reserveCapacity(count)
        for place in 0..<capacity {
            if let object = entries[place].object?.living { found.append(object) }
        }
        return found
    }

    private mutating func place(_ entry: Entry) {
        var place = home(of: entry.key)
        while entries[place].object != nil { place = (place &+ 1) & (capacity &- 1) }
        entries[place] = entry
    }

    private mutating func grow(to newCapacity: Int) {
        let (oldEntries, oldCapacity) = (entries, capacity)
        capacity = newCapacity
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: Entry(key: 0, object: nil), count: capacity)
        for index in 0..<oldCapacity where oldEntries[index].object != nil { place(oldEntries[index]) }
        oldEntries.deallocate()
    }
}

extension Unmanaged<ManagedObject> {
    /// The object; nil if its `deinit` is running, because a reference kept there would outlive it.
    @inline(__always)
    fileprivate var living: ManagedObject? { isLiving ? takeUnretainedValue() : nil }

    @inline(__always)
    fileprivate var isLiving: Bool { !swift_isDeallocating(toOpaque()) }
}
