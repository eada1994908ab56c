import PQClient

/// The required to-ones of one-to-ones whose column is in the destination's row, which no NOT NULL can check.
///
/// Every change of such a link writes or deletes the destination's row, so its version shows changes in
/// between; the owner's need not move.
struct RequiredToOnes {
    private let context: ManagedObjectContext
    private let settled: SettledChanges

    /// A row, or a new object by its temporary key.
    private struct Place: Hashable {
        let root: Int
        let key: Int64
    }

    init(_ context: ManagedObjectContext, _ settled: SettledChanges) {
        self.context = context
        self.settled = settled
    }

    /// Returns the owners that the save leaves, or stores, without their destinations.
    ///
    /// - Parameters:
    ///   - deleted: The objects that are deleted without a row among those of `settled`.
    ///   - owners: Finds the owners of destinations whose rows are deleted.
    func missing(
        deleted: [ManagedObject] = [],
        owners: (RelationshipLayout, [Int64]) throws -> [Int64] = { _, _ in [] }
    ) throws -> [MissingDestination] {
        try context.store.layouts.requiredToOnes.flatMap { required in
            let layout = context.layouts[required.entity]
            let relationship = layout.relationship(required.slot)
            guard let inverse = relationship.inverse else { return [MissingDestination]() }
            let destination = context.layouts[relationship.destination]
            func isDestination(_ object: ManagedObject) -> Bool {
                destination.family.contains(object.layout.index)
            }

            var held: Set<Place> = []
            var left: [Place] = []
            for object in settled.inserted where isDestination(object) {
                place(object._toOneField(at: inverse)).map { _ = held.insert($0) }
            }
            for object in settled.updated.lazy.map(\.object) where isDestination(object) {
                place(settled.destination(of: object, slot: inverse, layouts: context.layouts))
                    .map { _ = held.insert($0) }
                if let before = place(object.storedField(inverse)) { left.append(before) }
            }
            var gone: [Int64] = []
            for (key, row) in settled.deletedRows[destination.root] ?? [:]
            where destination.family.contains(row.entity) { gone.append(key) }
            for object in deleted where isDestination(object) && !object.isFault {
                if let before = place(object.storedField(inverse)) { left.append(before) }
            }
            if !gone.isEmpty {
                left += try owners(relationship, gone.sorted()).map { Place(root: layout.root, key: $0) }
            }

            let new = settled.inserted.filter { layout.family.contains($0.layout.index) }
            let without = new.filter { !held.contains(Place(root: $0.layout.root, key: $0.key)) }
            var seen: Set<Place> = []
            let losers = left.filter { place in
                place.key > 0 && place.root == layout.root && !held.contains(place)
                    && settled.deletedRows[place.root]?[place.key] == nil && seen.insert(place).inserted
            }
            .map { context.object(entity: required.entity, key: $0.key) }
            .filter { !settled.isDeleted($0) && layout.family.contains($0.layout.index) }
            return without.map {
                MissingDestination($0, required.slot, remedy: "Set a destination before you save.")
            }
                + losers.map {
                    MissingDestination(
                        $0, required.slot,
                        remedy: "Set another destination, or delete this \($0.layout.name) too.")
                }
        }
    }

    private func place(_ field: _ToOneField) -> Place? {
        guard field.entity >= 0 else { return nil }
        return Place(root: context.layouts[Int(field.entity)].root, key: field.key)
    }
}

extension MissingDestination {
    fileprivate init(_ owner: ManagedObject, _ slot: Int, remedy: String) {
        self.init(
            owner: owner, slot: slot,
            message: "is a required relationship without a destination. \(remedy)")
    }

    /// The issue of a save for it.
    var issue: ValidationIssue {
        ValidationIssue(
            owner, owner.layout.relationship(slot).name, ValidationIssue.missingMandatory, message)
    }
}
