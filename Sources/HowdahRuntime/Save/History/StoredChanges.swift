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

    /// Updated rows that only the server can find: the statement for their entities and keys.
    struct Found {
        let layout: EntityLayout
        let slots: SlotSet?
        let selection: SaveQuery
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
        }
        changes[place] = known
    }

    /// Adds rows that only the server can find.
    mutating func add(_ found: Found) { self.found.append(found) }

    /// Adds many rows.
    mutating func add(_ bulk: Bulk) { if !bulk.keys.isEmpty { bulks.append(bulk) } }

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
        found += later.found
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
