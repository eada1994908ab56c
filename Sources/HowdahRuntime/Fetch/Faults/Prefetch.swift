import HowdahModel

/// Loads the objects along a relationship key path for many objects at once, with a statement per step and
/// chunk.
struct Prefetch {
    /// The maximum number of owners of one statement.
    static let chunk = 10_000

    private let context: ManagedObjectContext

    /// The text after each statement, which says which code sent it.
    private let comment: String

    init(_ context: ManagedObjectContext, comment: String = "") {
        self.context = context
        self.comment = comment
    }

    /// Resolves a path in the model, so that a wrong one is an error for any objects.
    ///
    /// - Throws: `FetchError.invalidRequest` for a step that is not a relationship of any class of the
    ///   family.
    func check(_ path: String, from layout: EntityLayout) throws {
        var entities = layout.family
        for name in path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
            let steps = entities.compactMap { entity -> RelationshipLayout? in
                let layout = context.layouts[entity]
                return layout.slotsByName[name].flatMap { layout.slots[$0].relationship }
            }
            if let transient = steps.first(where: \.isTransient) {
                throw FetchError(
                    .invalidRequest,
                    "\(context.layouts[entities[0]].name).\(transient.name) cannot be prefetched: it is transient. "
                        + "Remove it from relationshipKeyPathsForPrefetching."
                )
            }
            guard !steps.isEmpty else { throw wrong(name, in: path, of: entities) }
            entities = steps.flatMap { context.layouts[$0.destination].family }
        }
    }

    private func wrong(_ name: String, in path: String, of entities: [Int]) -> FetchError {
        let layouts = entities.map { context.layouts[$0] }
        let place = path == name ? "" : " (in '\(path)')"
        let names = layouts.flatMap { layout in layout.relationshipSlots.map { layout.slots[$0].name } }
        let isAttribute = layouts.contains { $0.slotsByName[name] != nil }
        let hint =
            isAttribute
            ? "it is an attribute, which is fetched with its object. Remove it from relationshipKeyPathsForPrefetching."
            : NearestName.of(name, among: names).map {
                "it is not a relationship of the model. Did you mean '\($0)'?"
            }
                ?? "it is not a relationship of the model. Correct the name."
        return FetchError(
            .invalidRequest, "\(layouts[0].name).\(name)\(place) cannot be prefetched: \(hint)")
    }

    /// Follows `path` from the objects and loads every destination on it.
    func follow(_ path: String, from objects: [ManagedObject]) throws {
        if isFollowed(path, from: objects) { return }
        var current = objects
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for (place, name) in names.enumerated() {
            var next: [ManagedObject] = []
            for (relationship, owners) in groups(of: current, along: name) {
                next += try step(relationship, owners, isLast: place == names.count - 1)
            }
            current = next
        }
    }

    /// Returns a Boolean value that indicates whether the destination of a path is loaded, as a joined one is.
    private func isFollowed(_ path: String, from objects: [ManagedObject]) -> Bool {
        guard objects.count == 1, let slot = objects[0].layout.slotsByName[path],
            let relationship = objects[0].layout.slots[slot].relationship, !relationship.isToMany,
            objects[0].holds(slot)
        else { return false }
        let field = objects[0]._toOneField(at: slot)
        return field.isNone || field.object.map { !$0._flags.contains(.fault) } ?? false
    }

    /// Returns the objects by the relationship of that name, which the entities of a hierarchy may inherit.
    ///
    /// Objects of classes without one are left out.
    private func groups(
        of objects: [ManagedObject], along name: String
    ) -> [(relationship: RelationshipLayout, owners: [ManagedObject])] {
        var groups: [(relationship: RelationshipLayout, owners: [ManagedObject])] = []
        let byEntity = Dictionary(grouping: objects, by: { $0.layout.index })
        for (entity, owners) in byEntity.sorted(by: { $0.key < $1.key }) {
            let layout = context.layouts[entity]
            guard let slot = layout.slotsByName[name], let relationship = layout.slots[slot].relationship
            else { continue }
            if let place = groups.firstIndex(where: { $0.relationship.isShared(with: relationship) }) {
                groups[place].owners += owners
            } else {
                groups.append((relationship, owners))
            }
        }
        return groups
    }

    private func step(
        _ relationship: RelationshipLayout, _ owners: [ManagedObject], isLast: Bool
    ) throws -> [ManagedObject] {
        let slot = relationship.slot
        var found: [ObjectIdentifier: ManagedObject] = [:]
        for start in stride(from: 0, to: owners.count, by: Self.chunk) {
            let chunk = Array(owners[start..<min(start + Self.chunk, owners.count)])
            if relationship.isToMany {
                try context.loadMembers(of: chunk, relationship, comment: comment)
                if isLast { continue }
                for owner in chunk {
                    for member in owner.membersOf(slot) { found[ObjectIdentifier(member)] = member }
                }
            } else {
                try context.loadDestinations(of: chunk, relationship, comment: comment)
                if isLast { continue }
                for owner in chunk {
                    if let object = owner.destination(slot) { found[ObjectIdentifier(object)] = object }
                }
            }
        }
        return Array(found.values)
    }
}
