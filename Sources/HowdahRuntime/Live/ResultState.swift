import HowdahModel

/// The rows of a followed result, as they were evaluated last.
///
/// With a limit it has some rows more, which replace rows that leave. Then it has all rows up to a position, after which
/// there are others that it does not know.
struct ResultState: Sendable {
    /// The position up to which all rows are known.
    private struct End: Sendable {
        let place: MemoryOrder.Place
        let cursor: PageCursor
    }

    /// The objects with other values, and the changed properties; nil if they are unknown.
    typealias Changed = [ObjectID<ManagedObject>: Set<String>?]

    private(set) var rows: [ResultRow] = []
    private var keys: Set<Int64> = []
    /// The end of the known rows; nil if all are known.
    private var end: End?
    /// Indicates whether memory and server agree about the order, so that rows can be placed in memory.
    private var isPlaceable = true

    /// Fetches the result.
    init(_ reader: ResultReader) throws { try fetch(reader) }

    private mutating func fetch(_ reader: ResultReader) throws {
        let (rows, next) = try reader.first()
        self.rows = rows
        keys = Set(rows.map(\.id.key))
        end = next.flatMap { cursor in rows.last.map { End(place: $0.place, cursor: cursor) } }
        let order = reader.request.order
        isPlaceable =
            !reader.request.isOrderedByServer
            && !zip(rows, rows.dropFirst()).contains { order.precedes($1.place, $0.place) }
    }

    /// Returns a Boolean value that indicates whether a row is known, shown or not.
    func knows(_ key: Int64) -> Bool { keys.contains(key) }

    /// Returns the rows within the limit, in sections if the request has some.
    func list(_ request: ResultRequest) -> ResultList<ObjectID<ManagedObject>> {
        let shown = request.limit > 0 ? rows.prefix(request.limit) : rows[...]
        guard request.sections != nil else { return ResultList(rows: shown.map(\.id)) }
        return ResultList(rows: shown.map { ($0.id, $0.section) })
    }

    /// Evaluates changes of the store, and returns the rows with other values.
    mutating func update(_ changes: ResultChanges, _ reader: ResultReader) throws -> Changed {
        var candidates = Set(changes.own.lazy.filter { $0.value.decides }.map(\.key))
        var changed: Changed = [:]
        for (id, change) in changes.own where change.properties?.isEmpty != true {
            changed[id] = .some(change.properties)
        }
        var needsWhole = changes.needsWhole || changes.isEverything || !isPlaceable
        for (place, reached) in changes.reached {
            let route = reader.request.dependencies.routes[place]
            guard let ids = try reader.candidates(route, reached.objects) else {
                needsWhole = true
                continue
            }
            candidates.formUnion(ids)
            guard reached.isShown else { continue }
            for id in ids {
                guard let known = changed[id] ?? .some([]) else { continue }
                changed[id] = .some(known.union(route.path.prefix(1)))
            }
        }
        if needsWhole || candidates.count > max(1_000, 2 * rows.count) {
            try fetch(reader)
        } else if !candidates.isEmpty {
            try replace(candidates, reader)
        }
        // Changes of rows that are not in the result are nothing to tell, however many they are.
        return changed.filter { keys.contains($0.key.key) }
    }

    /// Evaluates some objects again.
    private mutating func replace(_ candidates: Set<ObjectID<ManagedObject>>, _ reader: ResultReader) throws {
        let order = reader.request.order
        var members = try reader.members(of: candidates)
        // Rows after the end are among those that are not known.
        if let end { members.removeAll { order.precedes(end.place, $0.place) } }
        merge(members, removing: candidates, order)
        guard reader.request.limit > 0 else { return }
        let capacity = reader.request.limit + reader.request.bench
        if rows.count > 2 * capacity { return try fetch(reader) }
        while let end, rows.count < reader.request.limit + reader.request.bench / 2 {
            let (found, next) = try reader.page(of: capacity - rows.count, after: end.cursor)
            // A row that moved meanwhile is known at its former place.
            merge(found, removing: Set(found.map(\.id)), order)
            self.end = next.flatMap { cursor in found.last.map { End(place: $0.place, cursor: cursor) } }
        }
    }

    private mutating func merge(
        _ arriving: [ResultRow], removing gone: Set<ObjectID<ManagedObject>>, _ order: MemoryOrder
    ) {
        for id in gone { keys.remove(id.key) }
        for row in arriving { keys.insert(row.id.key) }
        var merged: [ResultRow] = []
        merged.reserveCapacity(rows.count + arriving.count)
        var rest = arriving[...]
        for row in rows where !gone.contains(row.id) {
            while let next = rest.first, order.precedes(next.place, row.place) {
                merged.append(next)
                rest.removeFirst()
            }
            merged.append(row)
        }
        rows = merged + rest
    }
}
