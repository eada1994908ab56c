import HowdahModel

/// The rows that a transaction changes, each once: the content of its notice and of its history.
struct StoredChanges {
    /// The change of a row; the raw values are those of Core Data, and of the history.
    enum Kind: Int64, Sendable { case insertion, update, deletion }

    /// A row of a hierarchy.
    struct Place: Hashable, Sendable {
        let root: Int
        let key: Int64
    }

    /// The change of one row.
    struct Change: Sendable {
        var kind: Kind
        /// The entity of the row, or one above it.
        var entity: Int
        /// A Boolean value that indicates whether the entity is the row's own.
        var isExact: Bool
        /// The properties that an update changes; nil if any may have changed.
        var slots: SlotSet?
        /// The preserved values of a deleted row, as a JSON object; nil if there are none.
        var tombstone: String?
    }

    /// Updated rows that only the server can find: those with derived attributes, by the rows that these depend on.
    struct Found {
        let group: DerivedGroup
        /// The keys of the changed rows, by the steps of the group's path.
        var keys: [Set<Int64>]
    }

    /// Many rows of one entity with the same change, which a batch request wrote.
    struct Bulk: Sendable {
        let entity: Int
        let kind: Kind
        /// The properties that an update changes; nil if any may have changed.
        var slots: SlotSet?
        var keys: KeyRuns
    }

    private(set) var changes: [Place: Change] = [:]
    /// The rows in the order in which they were added.
    private(set) var places: [Place] = []
    private(set) var found: [Found] = []
    private(set) var bulks: [Bulk] = []

    var isEmpty: Bool { changes.isEmpty && found.isEmpty && bulks.isEmpty }

    mutating func reserve(_ count: Int) {
        changes.reserveCapacity(count)
        places.reserveCapacity(count)
    }

    /// Adds the change of a row. What is known of it is combined: a new row that is updated is a new row.
    mutating func add(_ change: Change, of place: Place) {
        guard var known = changes[place] else {
            changes[place] = change
            places.append(place)
            return
        }
        if change.isExact, !known.isExact { (known.entity, known.isExact) = (change.entity, true) }
        if known.kind == .update, change.kind == .update {
            if let slots = change.slots { known.slots?.add(slots) } else { known.slots = nil }
        } else if known.kind == .update {
            (known.kind, known.slots, known.tombstone) = (change.kind, nil, change.tombstone)
        } else if known.kind == .deletion, known.tombstone == nil {
            known.tombstone = change.tombstone
        }
        changes[place] = known
    }

    /// Adds the changes of other rows in the same statements.
    mutating func add(_ other: StoredChanges) {
        for place in other.places { if let change = other.changes[place] { add(change, of: place) } }
    }

    /// Adds rows that only the server can find. Those of one group are found together.
    mutating func add(_ found: Found) {
        guard let index = self.found.firstIndex(where: { $0.group.isSame(as: found.group) }) else {
            self.found.append(found)
            return
        }
        for (step, keys) in found.keys.enumerated() { self.found[index].keys[step].formUnion(keys) }
    }

    /// Removes the rows that only the server can find, after they were found.
    mutating func forgetFound() { found = [] }

    /// Adds many rows.
    mutating func add(_ bulk: Bulk) { if !bulk.keys.isEmpty { bulks.append(bulk) } }

    /// Removes rows from bulks that have another change too, and combines the two: each row has one change.
    mutating func unite(_ layouts: [EntityLayout]) {
        for index in bulks.indices where !places.isEmpty {
            let bulk = bulks[index]
            let (root, isMember) = (layouts[bulk.entity].root, bulk.keys.membership())
            let keys = places.filter { $0.root == root && isMember($0.key) }.map(\.key)
            if keys.isEmpty { continue }
            for key in keys {
                add(
                    Change(kind: bulk.kind, entity: bulk.entity, isExact: true, slots: bulk.slots),
                    of: Place(root: root, key: key))
            }
            bulks[index].keys.remove(Set(keys))
        }
        bulks.removeAll(where: \.keys.isEmpty)
    }

    /// Adds the changes of a later savepoint of the same transaction.
    ///
    /// A row that was inserted and is deleted never was one.
    mutating func follow(with later: StoredChanges, _ layouts: [EntityLayout]) {
        for bulk in later.bulks {
            let root = layouts[bulk.entity].root
            bulk.keys.forEach { key in
                let change = Change(kind: bulk.kind, entity: bulk.entity, isExact: true, slots: bulk.slots)
                follow(with: change, of: Place(root: root, key: key))
            }
        }
        for place in later.places {
            if let change = later.changes[place] { follow(with: change, of: place) }
        }
        for rows in later.found { add(rows) }
    }

    private mutating func follow(with change: Change, of place: Place) {
        switch (changes[place]?.kind, change.kind) {
        case (.insertion, .deletion):
            changes[place] = nil
        case (.deletion, .insertion):
            // The same row again: any property may differ.
            var change = change
            (change.kind, change.slots) = (.update, nil)
            changes[place] = change
        default: add(change, of: place)
        }
    }
}
