import HowdahModel

/// Loads what lies along a relationship key path for many objects at once, a statement per step and chunk.
struct Prefetch {
    private static let chunk = 10_000

    private let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) { self.context = context }

    /// Follows `path` from the objects and loads every destination on the way.
    ///
    /// - Throws: `FetchError.invalidRequest` for a step that is no relationship.
    func follow(_ path: String, from objects: [ManagedObject]) throws {
        var current = objects
        for name in path.split(separator: ".").map(String.init) {
            var next: [ManagedObject] = []
            for (layout, owners) in Dictionary(grouping: current, by: { $0.layout.index }) {
                next += try step(name, context.layouts[layout], owners)
            }
            current = next
        }
    }

    private func step(
        _ name: String, _ layout: EntityLayout, _ owners: [ManagedObject]
    ) throws -> [ManagedObject] {
        guard let slot = layout.slotsByName[name], let relationship = layout.slots[slot].relationship else {
            throw FetchError(
                .invalidRequest,
                "\(layout.name).\(name) cannot be prefetched: it is no relationship of the model.")
        }
        var found: [ObjectIdentifier: ManagedObject] = [:]
        for start in stride(from: 0, to: owners.count, by: Self.chunk) {
            let chunk = Array(owners[start..<min(start + Self.chunk, owners.count)])
            if relationship.isToMany {
                try context.loadMembers(of: chunk, relationship)
                for owner in chunk {
                    for member in owner.membersOf(slot) { found[ObjectIdentifier(member)] = member }
                }
            } else {
                try context.loadDestinations(of: chunk, relationship)
                for owner in chunk {
                    if let object = owner.destination(slot) { found[ObjectIdentifier(object)] = object }
                }
            }
        }
        return Array(found.values)
    }
}
