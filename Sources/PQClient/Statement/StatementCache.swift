/// Which prepared statements a session has; a plain value that does nothing itself.
struct StatementCache {
    /// A statement is known by its text and the types of its parameters.
    struct Key: Hashable {
        let sql: String
        let types: [OID]

        // The types rarely tell two statements apart; hashing them would only cost.
        func hash(into hasher: inout Hasher) { hasher.combine(sql) }
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
    }

    let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    private var names: UInt64 = 0
    /// The types that the columns of a statement were found to fit.
    private var fitting: [Key: [ObjectIdentifier]] = [:]
    /// Statements that the session still has but that nobody will use.
    private var abandoned: [String] = []

    init(capacity: Int) { self.capacity = capacity }

    /// How many statements can be used.
    var count: Int { entries.count }

    /// The name of a statement that was prepared before.
    mutating func use(_ key: Key) -> String? {
        guard let index = entries.index(forKey: key) else { return nil }
        uses += 1
        entries.values[index].lastUse = uses
        return entries.values[index].name
    }

    /// A name that this session never had.
    mutating func makeName() -> String {
        names += 1
        return "howdah_\(names)"
    }

    mutating func insert(_ key: Key, name: String) {
        uses += 1
        entries[key] = Entry(name: name, lastUse: uses)
    }

    /// Forgets a statement; with `existsOnServer` it will be deallocated in time.
    mutating func remove(_ key: Key, existsOnServer: Bool) {
        fitting[key] = nil
        guard let entry = entries.removeValue(forKey: key) else { return }
        if existsOnServer { abandoned.append(entry.name) }
    }

    mutating func abandon(_ name: String) { abandoned.append(name) }

    mutating func removeAll() {
        entries.removeAll()
        fitting.removeAll()
        abandoned.removeAll()
    }

    /// Whether the columns of a statement were found to fit these types.
    func fits(_ key: Key, _ types: [ObjectIdentifier]) -> Bool { fitting[key] == types }

    mutating func noteFitting(_ key: Key, _ types: [ObjectIdentifier]) {
        if fitting.count >= max(capacity, 1) { fitting.removeAll() }
        fitting[key] = types
    }

    /// The names to deallocate before one more statement is prepared.
    ///
    /// An eighth of the capacity leaves at a time, so that the round trip is shared.
    mutating func makeRoom() -> [String] {
        guard entries.count + abandoned.count >= capacity else { return [] }
        var names = abandoned
        abandoned = []
        let surplus = entries.count + max(1, capacity / 8) - capacity
        if surplus > 0 {
            for (key, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(surplus) {
                entries[key] = nil
                names.append(entry.name)
            }
        }
        return names
    }
}
