import HowdahModel
import PQClient

/// Hands out permanent keys: from one sequence for all tables, or from each table's own where another program made
/// them.
struct KeyAllocators: Sendable {
    private let shared: KeyAllocator?
    /// By the root entity's place.
    private let own: [KeyAllocator?]

    init(_ layouts: StoreLayout) {
        shared = layouts.sequence.map { KeyAllocator(sequence: $0) }
        let isShared = shared != nil
        own =
            isShared
            ? []
            : layouts.entities.map { layout in
                guard layout.root == layout.index else { return nil }
                return layout.table.existing?.keySequence.map {
                    // A smallint has no numbers to spare for blocks that are dropped when the program ends.
                    KeyAllocator(sequence: $0, blockSize: layout.table.key.type == .int2 ? 1 : 256)
                }
            }
    }

    /// A key for each object, ascending where they share a table; at most one round trip for each sequence.
    ///
    /// - Throws: `SaveError.readOnly` where a table's keys cannot be drawn; `PostgresError`.
    func take(for objects: [ManagedObject], on connection: Connection) throws -> [Int64] {
        if let shared { return try shared.take(objects.count, on: connection) }
        var places: [Int: [Int]] = [:]
        for (place, object) in objects.enumerated() { places[object.layout.root, default: []].append(place) }
        var keys = Array(repeating: Int64(0), count: objects.count)
        for (root, places) in places.sorted(by: { $0.key < $1.key }) {
            guard let allocator = own[root] else {
                throw SaveError(.readOnly, "\(objects[places[0]].layout.name) has no keys to draw from.")
            }
            let taken = try allocator.take(places.count, on: connection)
            if let key = taken.first, key < 0 {
                throw SaveError(
                    .readOnly,
                    "The sequence of \(objects[places[0]].layout.name)'s keys gives negative numbers, which stand for "
                        + "unsaved objects; have it ascend from 1.")
            }
            for (place, key) in zip(places, taken) { keys[place] = key }
        }
        return keys
    }
}
