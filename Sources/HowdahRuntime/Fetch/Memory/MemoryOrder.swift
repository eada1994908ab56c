import HowdahModel

/// A request's order for objects in memory, the same as that of the database for rows.
///
/// If nothing else decides, objects with temporary ids are last, in the order of their creation.
struct MemoryOrder: Sendable {
    private let keys: [(path: [String], isAscending: Bool)]

    /// The sort values of an object.
    struct Place: Sendable {
        fileprivate let values: [Value]
        /// The values that decide if all others are equal: texts that differ only in case.
        fileprivate let ties: [Value]
        fileprivate let key: Int64

        /// The value of the first sort key; of texts that ignore case, in the form that is compared.
        var leading: Value { values.first ?? .null }

        /// A Boolean value that indicates whether all sort values are the same; the objects may differ.
        func hasValues(of other: Place) -> Bool { values == other.values && ties == other.ties }

        /// A Boolean value that indicates whether the place has the present key of an object, which a save can change.
        func hasKey(of object: ManagedObject) -> Bool { key == MemoryOrder.rank(object.key) }
    }

    init<Object>(_ keys: [SortKey<Object>]) {
        self.keys = keys.map { ($0.keyPath.split(separator: ".").map(String.init), $0.isAscending) }
    }

    /// - Throws: `FetchError.invalidRequest` for a key with a locale, whose rules only the server has.
    static func check<Object>(_ keys: [SortKey<Object>]) throws {
        guard let key = keys.first(where: { $0.locale != nil }) else { return }
        throw FetchError(
            .invalidRequest,
            "The result would have unsaved objects, and only the server sorts '\(key.keyPath)' by a locale. Save "
                + "first, or set includesPendingChanges to false.")
    }

    /// Returns the sort values of an object. Objects on key paths may load.
    func place(of object: ManagedObject) -> Place {
        var values: [Value] = []
        var ties: [Value] = []
        for (path, _) in keys {
            let (value, isCaseInsensitive) = Self.value(of: object, path[...])
            values.append(isCaseInsensitive ? value.folded(.caseInsensitive) : value)
            ties.append(isCaseInsensitive ? value : .null)
        }
        return Place(values: values, ties: ties, key: Self.rank(object.key))
    }

    func precedes(_ one: Place, _ other: Place) -> Bool {
        for (ours, theirs) in [(one.values, other.values), (one.ties, other.ties)] {
            for (place, (_, isAscending)) in keys.enumerated() {
                switch Self.order(ours[place], theirs[place]) {
                case .equal: continue
                case .less: return isAscending
                case .greater: return !isAscending
                }
            }
        }
        return one.key < other.key
    }

    /// Temporary keys count down. A save assigns keys after all stored ones, in the order of insertion.
    private static func rank(_ key: Int64) -> Int64 { key < 0 ? .max / 2 - key : key }

    /// Merges objects with stored ones, which are in order. Each object is in one of both.
    func merge(_ objects: [ManagedObject], into stored: [ManagedObject]) -> [ManagedObject] {
        if objects.isEmpty { return stored }
        let ours = objects.map { (object: $0, place: place(of: $0)) }.sorted { precedes($0.place, $1.place) }
        var merged: [ManagedObject] = []
        merged.reserveCapacity(ours.count + stored.count)
        var next = ours.startIndex
        for object in stored {
            if next < ours.endIndex {
                let place = place(of: object)
                while next < ours.endIndex, precedes(ours[next].place, place) {
                    merged.append(ours[next].object)
                    next += 1
                }
            }
            merged.append(object)
        }
        return merged + ours[next...].map(\.object)
    }

    private static func order(_ one: Value, _ other: Value) -> Value.Order {
        switch (one.isNull, other.isNull) {
        case (true, true): .equal
        case (true, false): .less
        case (false, true): .greater
        case (false, false): one.order(relativeTo: other) ?? .equal
        }
    }

    private static func value(
        of subject: any PredicateSubject, _ path: ArraySlice<String>
    ) -> (Value, isCaseInsensitive: Bool) {
        guard let name = path.first else { return (.null, false) }
        switch subject.predicateOperand(forKey: name) {
        case .value(let value): return (value, false)
        case .caseInsensitive(let value): return (value, true)
        case .one(let next?) where path.count > 1: return value(of: next, path.dropFirst())
        case .one(let object?): return (object.predicateIdentity.map { .int(rank($0.key)) } ?? .null, false)
        default: return (.null, false)
        }
    }
}
