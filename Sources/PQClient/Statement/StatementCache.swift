import Foundation

/// The prepared statements of a session; a plain value that does nothing itself.
struct StatementCache {
    /// The identity of a statement: its text and the types of its parameters.
    struct Key: Hashable {
        let sql: String
        let types: [OID]

        // Byte by byte: for the server, texts are different that Swift takes for the same.
        static func == (a: Self, b: Self) -> Bool {
            guard a.types == b.types else { return false }
            return a.withBytes { a in
                b.withBytes { b in
                    guard a.count == b.count, let first = a.baseAddress, let other = b.baseAddress else {
                        return a.isEmpty && b.isEmpty
                    }
                    return first == other || memcmp(first, other, a.count) == 0
                }
            }
        }

        // The types rarely tell two statements apart; hashing them would only cost. Texts are long and each statement
        // is looked up by its own, so eight bytes are hashed at once.
        func hash(into hasher: inout Hasher) {
            let hash = withBytes { bytes in
                var hash = UInt64(truncatingIfNeeded: bytes.count)
                var place = 0
                while place &+ 8 <= bytes.count {
                    let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
                    hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
                    hash ^= hash >> 29
                    place &+= 8
                }
                for byte in bytes.suffix(bytes.count & 7) {
                    hash = (hash ^ UInt64(truncatingIfNeeded: byte)) &* 0x9E37_79B9_7F4A_7C15
                }
                return hash
            }
            hasher.combine(hash)
        }

        private func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
            var sql = sql
            return sql.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        }
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
    }

    let capacity: Int
    /// Indicates whether no statement can be removed, because a pooler would not learn of it.
    var keepsAll = false
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0
    /// The number of times that the session lost its statements; part of the names of later ones.
    private var losses = 0
    /// The types that fit the columns of a statement, if they were checked.
    private var fitting: [Key: [ObjectIdentifier]] = [:]
    /// Statements that the session still has, but that nobody will use.
    private var abandoned: [String] = []

    init(capacity: Int) { self.capacity = capacity }

    /// Indicates whether there is not room for a new statement, and none can be made.
    var isFull: Bool { capacity == 0 || keepsAll && entries.count >= capacity }

    /// The number of usable statements.
    var count: Int { entries.count }

    /// Returns the name of a statement that was prepared before.
    mutating func use(_ key: Key) -> String? {
        guard let index = entries.index(forKey: key) else { return nil }
        uses += 1
        entries.values[index].lastUse = uses
        return entries.values[index].name
    }

    /// Returns a name that this session never had, and that no other client gives to another text or other
    /// types.
    ///
    /// Behind a pooler, another client may have prepared a statement on the session. At worst the session
    /// then already has this one.
    func makeName(for key: Key) -> String {
        var digest = NameDigest()
        digest.add(key.sql.utf8)
        for type in key.types {
            digest.add([0])
            digest.add(String(type.rawValue).utf8)
        }
        return losses == 0 ? "howdah_\(digest.text)" : "howdah_\(digest.text)_\(losses)"
    }

    mutating func insert(_ key: Key, name: String) {
        uses += 1
        entries[key] = Entry(name: name, lastUse: uses)
    }

    /// Removes a statement; with `existsOnServer` it is deallocated later.
    mutating func remove(_ key: Key, existsOnServer: Bool) {
        fitting[key] = nil
        guard let entry = entries.removeValue(forKey: key) else { return }
        losses += 1
        if existsOnServer { abandoned.append(entry.name) }
    }

    mutating func abandon(_ name: String) { abandoned.append(name) }

    mutating func removeAll() {
        losses += 1
        entries.removeAll()
        fitting.removeAll()
        abandoned.removeAll()
    }

    /// Returns true if the columns of a statement were found to fit these types.
    func fits(_ key: Key, _ types: [ObjectIdentifier]) -> Bool { fitting[key] == types }

    mutating func noteFitting(_ key: Key, _ types: [ObjectIdentifier]) {
        if fitting.count >= max(capacity, 1) { fitting.removeAll() }
        fitting[key] = types
    }

    /// Returns the names to deallocate before one more statement is prepared.
    ///
    /// An eighth of the capacity leaves at a time, so that the round trip is shared.
    mutating func makeRoom() -> [String] {
        guard entries.count + abandoned.count >= capacity, !keepsAll else { return [] }
        losses += 1
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
