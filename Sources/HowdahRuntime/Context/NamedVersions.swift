import HowdahModel

/// The versions that a program named for objects, which saves compare; the last one of an object counts.
struct NamedVersions {
    /// An object with the version that the program named.
    struct Entry {
        let object: ManagedObject
        let version: ObjectVersion
        /// A Boolean value that indicates whether the version differed from that of the row when it was named.
        var isStale = false
    }

    private(set) var entries: [ObjectIdentifier: Entry] = [:]

    var isEmpty: Bool { entries.isEmpty }

    subscript(object: ManagedObject) -> Entry? { entries[ObjectIdentifier(object)] }

    mutating func add(_ entry: Entry) { entries[ObjectIdentifier(entry.object)] = entry }
}
