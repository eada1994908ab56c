import HowdahModel
import PQClient

/// Follows delete rules from the objects being deleted to everything they reach, loaded or not, until nothing
/// more is found. The foreign keys of the store are only the net below this.
struct DeleteRules {
    private let context: ManagedObjectContext
    private let transaction: SaveTransaction
    private var settled: SettledChanges
    private var denials: [Denial] = []
    private let changes: ChangeSet

    /// A relationship that forbids a deletion as long as these rows stay.
    private struct Denial {
        let owner: ManagedObject?
        let entity: EntityLayout
        let relationship: RelationshipLayout
        let root: Int
        let keys: [Int64]
        let pending: [ManagedObject]
    }

    init(_ changes: ChangeSet, _ context: ManagedObjectContext, _ transaction: SaveTransaction) {
        self.changes = changes
        self.context = context
        self.transaction = transaction
        settled = SettledChanges(
            inserted: changes.inserted, updated: changes.updated, links: changes.links, isLocked: changes.needsLocks)
    }

    /// What the save has to do in all.
    ///
    /// - Throws: `SaveError.conflict` where a row to be written is not the one that was read,
    ///   `SaveError.referentialIntegrity` naming object and relationship where a rule denies.
    consuming func settle() throws -> SettledChanges {
        if changes.needsLocks { try RowLocks(context, transaction).lock(changes) }
        guard !changes.deleted.isEmpty else { return settled }
        var wave: [Int: [Int64]] = [:]
        for object in changes.deleted { mark(object.layout.index, object.key, object, &wave) }
        while !wave.isEmpty {
            var next: [Int: [Int64]] = [:]
            for (entity, keys) in wave.sorted(by: { $0.key < $1.key }) {
                let layout = context.layouts[entity]
                for slot in layout.relationshipSlots { try follow(layout.relationship(slot), layout, keys, &next) }
            }
            wave = next
        }
        try checkDenials()
        let settledRows = settled.deletedRows
        settled.updated.removeAll { settledRows[$0.layout.root]?[$0.key] != nil }
        let dropped = settled.dropped
        settled.inserted.removeAll { dropped.contains(ObjectIdentifier($0)) }
        for (place, keys) in settled.nullifications {
            let root = context.layouts[place.entity].root
            let updatedKeys = Set(settled.updated.filter { $0.layout.root == root && $0.isWritten(place.slot) }.map(\.key))
            settled.nullifications[place] = keys.filter {
                settledRows[root]?[$0] == nil && !updatedKeys.contains($0)
            }
        }
        settled.nullifications = settled.nullifications.filter { !$0.value.isEmpty }
        return settled
    }

    private mutating func mark(
        _ entity: Int, _ key: Int64, _ object: ManagedObject?, _ wave: inout [Int: [Int64]]
    ) {
        let root = context.layouts[entity].root
        guard settled.deletedRows[root]?[key] == nil else { return }
        let object = object ?? context.identityMaps.find(root: root, key: key)
        settled.deletedRows[root, default: [:]][key] = .init(entity: entity, object: object)
        wave[entity, default: []].append(key)
    }

    private mutating func follow(
        _ relationship: RelationshipLayout, _ layout: EntityLayout, _ keys: [Int64], _ next: inout [Int: [Int64]]
    ) throws {
        let rule = relationship.deleteRule
        switch relationship.storage {
        case .inverse:
            if rule == .noAction { return }
            let found = try ReferringRows(context, transaction).rows(
                relationship, of: keys, forDeletion: rule == .cascade)
            let remaining = found.filter { !isElsewhere($0, relationship) }
            let pending = pendingReferrers(relationship, keys, layout)
            if rule == .cascade {
                for row in remaining { mark(row.entity, row.key, nil, &next) }
                for object in pending {
                    if object._flags.contains(.inserted) {
                        settled.dropped.insert(ObjectIdentifier(object))
                    } else {
                        mark(object.layout.index, object.key, object, &next)
                    }
                }
            } else if rule == .deny {
                deny(relationship, layout, keys, remaining.map(\.key), pending)
            } else if let inverse = relationship.inverse {
                for row in remaining {
                    settled.nullifications[.init(entity: row.entity, slot: inverse), default: []].append(row.key)
                }
            }
        case .foreignKey, .join:
            guard rule == .cascade || rule == .deny else { return }
            let found = try ReferringRows(context, transaction).destinations(relationship, of: keys, layout)
            let remaining = found.filter { !isUnlinked($0, relationship, keys) }
            if rule == .cascade {
                for row in remaining { mark(row.entity, row.key, nil, &next) }
            } else {
                deny(relationship, layout, keys, remaining.map(\.key), [])
            }
        }
    }

    private mutating func deny(
        _ relationship: RelationshipLayout, _ layout: EntityLayout, _ owners: [Int64], _ keys: [Int64],
        _ pending: [ManagedObject]
    ) {
        guard !keys.isEmpty || !pending.isEmpty else { return }
        denials.append(
            Denial(
                owner: owners.first.flatMap { settled.deletedRows[layout.root]?[$0]?.object }, entity: layout,
                relationship: relationship, root: context.layouts[relationship.destination].root, keys: keys,
                pending: pending))
    }

    /// Whether an unsaved change gives a stored row another owner, so that the deletion does not reach it.
    private func isElsewhere(_ row: ReferringRows.Row, _ relationship: RelationshipLayout) -> Bool {
        let layout = context.layouts[row.entity]
        guard let inverse = relationship.inverse,
            let object = context.identityMaps.find(root: layout.root, key: row.key), object.isWritten(inverse)
        else { return false }
        return !settled.destination(of: object, slot: inverse, layouts: context.layouts).isNone
            || object._toOneField(at: inverse).isNone
    }

    /// Whether the link to a stored destination is removed by this very save.
    private func isUnlinked(_ row: ReferringRows.Row, _ relationship: RelationshipLayout, _ keys: [Int64]) -> Bool {
        guard case .join(let columns) = relationship.storage else { return false }
        return settled.links.contains { link in
            !link.isInsertion && link.columns.table == columns.table
                && [link.owner.key, link.member.key].contains(row.key)
        }
    }

    /// Objects with an unsaved reference to something being deleted.
    private func pendingReferrers(
        _ relationship: RelationshipLayout, _ keys: [Int64], _ layout: EntityLayout
    ) -> [ManagedObject] {
        guard let inverse = relationship.inverse else { return [] }
        let family = Set(context.layouts[relationship.destination].family)
        let gone = Set(keys)
        return (changes.inserted + changes.updated).filter { object in
            guard family.contains(object.layout.index), object._flags.contains(.inserted) || object.isWritten(inverse)
            else { return false }
            let field = object._toOneField(at: inverse)
            return field.entity >= 0 && context.layouts[Int(field.entity)].root == layout.root
                && gone.contains(field.object?.key ?? field.key)
        }
    }

    private func checkDenials() throws {
        var issues: [ValidationIssue] = []
        for denial in denials {
            let keys = denial.keys.filter { settled.deletedRows[denial.root]?[$0] == nil }
            let pending = denial.pending.filter { !settled.isDeleted($0) }
            guard !keys.isEmpty || !pending.isEmpty else { continue }
            issues.append(
                ValidationIssue(
                    denial.owner?.objectID, denial.entity.name, denial.relationship.name, ValidationIssue.deleteDenied,
                    "denies the deletion while \(keys.count + pending.count) objects remain; delete or move them first"))
        }
        guard issues.isEmpty else {
            throw SaveError(.referentialIntegrity, "A delete rule denies the deletion.", issues: issues)
        }
    }
}
