import HowdahModel
import PQClient

/// Allocates permanent keys: from one sequence for all tables, or from the tables' own sequences of another
/// program.
struct KeyAllocators: Sendable {
    private let shared: KeyAllocator?
    /// The allocators by the root entity's position.
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

    /// Returns a key for each object, ascending within a table; at most one round trip for each sequence.
    ///
    /// - Throws: `SaveError.readOnly` if a table's keys cannot be drawn; `PostgresError`.
    func take(for objects: [ManagedObject], on connection: Connection) throws -> [Int64] {
        if let shared { return try shared.take(objects.count, on: connection) }
        var places: [Int: [Int]] = [:]
        for (place, object) in objects.enumerated() { places[object.layout.root, default: []].append(place) }
        var keys = Array(repeating: Int64(0), count: objects.count)
        for places in places.sorted(by: { $0.key < $1.key }).map(\.value) {
            let layout = objects[places[0]].layout
            let taken = try allocator(of: layout).take(places.count, on: connection)
            try checkSign(of: taken, layout)
            for (place, key) in zip(places, taken) { keys[place] = key }
        }
        return keys
    }

    /// Returns keys for rows of one entity, ascending and greater than all earlier ones on the connection;
    /// one round trip.
    ///
    /// - Throws: The errors of ``take(for:on:)``.
    func draw(_ count: Int, for layout: EntityLayout, on connection: Connection) throws -> [Int64] {
        let keys = try (shared ?? allocator(of: layout)).draw(count, on: connection)
        try checkSign(of: keys, layout)
        return keys
    }

    /// Takes back drawn keys of an entity that were not used.
    func giveBack(_ keys: some Sequence<Int64>, for layout: EntityLayout) {
        (shared ?? own[layout.root])?.giveBack(keys)
    }

    private func allocator(of layout: EntityLayout) throws -> KeyAllocator {
        guard let allocator = own[layout.root] else {
            throw SaveError(
                .readOnly,
                "\(layout.name) cannot be inserted, because its key column \(layout.table.key.name) has no "
                    + "sequence for new keys. Make it an identity column in SQL, or set its default to nextval "
                    + "of a sequence.")
        }
        return allocator
    }

    private func checkSign(of keys: [Int64], _ layout: EntityLayout) throws {
        guard let key = keys.first, key < 0 else { return }
        throw SaveError(
            .readOnly,
            "The sequence of \(layout.name)'s keys returned a negative number. Negative keys are reserved for unsaved "
                + "objects. Alter the sequence so that it ascends from 1.")
    }
}
