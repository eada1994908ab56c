import HowdahModel
import HowdahRuntime
import PQClient

/// The owners that an import saved before the destinations of their required to-ones, whose rows keep the
/// links.
///
/// Only keys and places are kept. Each is looked up after all lines are read.
struct AwaitedDestinations {
    private struct Relationship: Hashable {
        let entity: Int
        let slot: Int
    }

    private struct Owner {
        let place: GraphPlace?
        let message: String
    }

    private let context: ManagedObjectContext
    private var owners: [Relationship: [Int64: Owner]] = [:]

    init(_ context: ManagedObjectContext) {
        self.context = context
        context.changes.deferMissingDestinations()
    }

    /// Records the required to-ones that the last save left for later.
    mutating func collect(_ places: @autoclosure () -> [ObjectIdentifier: GraphPlace]) {
        let later = context.changes.takeMissingDestinations()
        guard !later.isEmpty else { return }
        let places = places()
        for missing in later {
            owners[Relationship(entity: missing.owner.layout.index, slot: missing.slot), default: [:]][
                missing.owner.key] = Owner(
                    place: places[ObjectIdentifier(missing.owner)], message: missing.message)
        }
    }

    /// Looks up the destinations, with a statement for each relationship and 1,000 owners.
    ///
    /// - Throws: `GraphError.refused` for the first owner without one.
    func check() throws {
        for (required, owners) in owners.sorted(by: {
            ($0.key.entity, $0.key.slot) < ($1.key.entity, $1.key.slot)
        }) {
            let layout = context.layouts[required.entity]
            let relationship = layout.relationship(required.slot)
            guard let (table, column, _) = relationship.storage.pair else { continue }
            let keys = owners.keys.sorted()
            var left = Set(keys)
            for start in stride(from: 0, to: keys.count, by: KeyStatement.limit) {
                var parameters = Parameters()
                parameters.append(Array(keys[start..<min(start + KeyStatement.limit, keys.count)]))
                try context.withConnection { connection in
                    try connection.query(
                        "SELECT \(column) FROM \(table) WHERE \(column) = ANY($1)", parameters,
                        about: .init(.select, table)
                    )
                    .forEachRow { left.remove($0[0].int64) }
                }
            }
            let first = left.compactMap { owners[$0] }
                .min { ($0.place?.line ?? .max, $0.message) < ($1.place?.line ?? .max, $1.message) }
            guard let first else { continue }
            throw GraphError(
                .refused, first.message, at: first.place ?? GraphPlace(), entity: layout,
                property: relationship.name)
        }
    }
}
