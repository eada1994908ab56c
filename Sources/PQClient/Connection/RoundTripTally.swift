/// The numbers of a connection's statements that its observer has not received yet.
///
/// Metrics need only the operation, the table, the time and the rows of a statement. To keep these costs a few
/// instructions, and one call passes on many of them. Each statement is passed on once.
package struct RoundTripTally: ~Copyable {
    /// The numbers of a round trip that succeeded.
    package struct Entry {
        package let key: RoundTripKey
        package let nanoseconds: Int64
        package let rows: Int
        /// A Boolean value that indicates whether the entry retains the table, for those of its kind that follow.
        fileprivate let isFirst: Bool
    }

    private static let capacity = 128
    /// The number of tables that stay retained; a power of two.
    private static let places = 8
    /// The age of the oldest entry from which the next statement passes all on.
    private static let patience: Int64 = 1_000_000_000

    /// Made with the first entry.
    private var storage: UnsafeMutablePointer<Entry>?
    /// The keys of tables that stay retained, because a unit of work uses few tables in turn.
    private var kept: UnsafeMutablePointer<RoundTripKey>?
    private var count = 0
    /// A Boolean value that indicates whether an entry retains its table.
    private var hasFirst = false
    private var start = MonotonicTime.distantPast

    init() {}

    deinit {
        for entry in entries where entry.isFirst { entry.key.releaseTable() }
        if let kept {
            for place in 0..<Self.places { kept[place].releaseTable() }
        }
        storage?.deallocate()
        kept?.deallocate()
    }

    /// The entries in the order of their round trips, which are valid during the call that receives them.
    package var entries: UnsafeBufferPointer<Entry> {
        UnsafeBufferPointer(start: UnsafePointer(storage), count: count)
    }

    /// Adds a round trip that ended now.
    ///
    /// - Returns: True if the tally must be passed on.
    @inline(__always)
    mutating func add(_ key: RoundTripKey, _ nanoseconds: Int64, rows: Int, at now: MonotonicTime) -> Bool {
        // An observer may send statements on the connection whose tally it receives: they are not counted.
        if count == Self.capacity { return false }
        let storage = storage ?? makeStorage()
        let isFirst = !keeps(key) && (count == 0 || storage[count &- 1].key != key)
        if isFirst {
            key.retainTable()
            hasFirst = true
        }
        (storage + count).initialize(
            to: Entry(key: key, nanoseconds: nanoseconds, rows: rows, isFirst: isFirst))
        count &+= 1
        if count == 1 { start = now }
        return count == Self.capacity || now.nanoseconds(since: start) >= Self.patience
    }

    @inline(never)
    private mutating func makeStorage() -> UnsafeMutablePointer<Entry> {
        let made = UnsafeMutablePointer<Entry>.allocate(capacity: Self.capacity)
        storage = made
        let keys = UnsafeMutablePointer<RoundTripKey>.allocate(capacity: Self.places)
        keys.initialize(repeating: RoundTripKey(nil, nil), count: Self.places)
        kept = keys
        return made
    }

    /// Returns a Boolean value that indicates whether the table of a key is retained, or is not there.
    @inline(__always)
    private func keeps(_ key: RoundTripKey) -> Bool {
        guard key.hasTable else { return true }
        return kept.map { $0[key.place(of: Self.places)].hasSameTable(as: key) } ?? false
    }

    /// Passes all entries on, and removes them.
    mutating func pass(to observer: any RoundTripObserver) {
        guard count > 0 else { return }
        observer.receive(self)
        if hasFirst { keepTables() }
        count = 0
    }

    /// Keeps the tables that the entries retain, in place of others. No entry needs those any more.
    @inline(never)
    private mutating func keepTables() {
        for entry in entries where entry.isFirst {
            guard let kept else { return }
            let place = entry.key.place(of: Self.places)
            kept[place].releaseTable()
            kept[place] = entry.key
        }
        hasFirst = false
    }
}

extension Connection {
    /// Ends the observation, and passes on what its observer has not received yet.
    package func endObservation() {
        // Taken, the reference is not counted again.
        if let receiver = roundTripObserver.take() { tally.pass(to: receiver) }
        observer = nil
        observedStart = nil
    }

    /// Returns the time at which a statement begins; nil if nothing observes it.
    @inline(__always)
    func beginObserved() -> MonotonicTime? {
        if observer == nil { return nil }
        let now = MonotonicTime.now
        if observedStart == nil { observedStart = now }
        return now
    }

    /// Passes on what the observer of round trips has not received yet.
    func passTally() {
        if let roundTripObserver { tally.pass(to: roundTripObserver) }
    }

    /// Adds a round trip to the tally.
    @inline(__always)
    func count(
        _ key: RoundTripKey, _ nanoseconds: Int64, rows: Int, at now: MonotonicTime,
        for observer: any RoundTripObserver
    ) {
        if tally.add(key, nanoseconds, rows: rows, at: now) { tally.pass(to: observer) }
    }
}
