import HowdahModel
import PQClient

/// The minimum and maximum counts of to-manys, for all owners whose members this save changes, and
/// ``RequiredToOnes``.
///
/// Members that are not loaded are counted in the store. The version of each owner moves with the save, so
/// that the counts still hold at COMMIT, or the save is a conflict.
struct CountRules {
    private let context: ManagedObjectContext
    private let transaction: SaveTransaction

    /// An owner and one of its counted to-manys.
    private struct List: Hashable {
        let root: Int
        let key: Int64
        let slot: Int
    }

    init(_ context: ManagedObjectContext, _ transaction: SaveTransaction) {
        self.context = context
        self.transaction = transaction
    }

    /// Returns the broken bounds. Owners that lose members by a deletion are added to the rows to write.
    ///
    /// It sends one statement per relationship whose members must be counted in the store, and two more if
    /// deletions may go below a minimum.
    ///
    /// - Throws: `SaveError.conflict` if bounds are broken and an owner is not as it was read.
    func broken(_ settled: inout SettledChanges) throws -> [ValidationIssue] {
        guard context.store.layouts.hasCounts else { return [] }
        var issues: [ValidationIssue] = []
        for owner in settled.inserted where owner.key < 0 {
            for slot in owner.layout.countedSlots {
                let state = owner._toManyState(at: slot)
                // That of an owner whose row is stored again need not be loaded.
                let members = state.map { $0.isLoaded ? $0.members : $0.gained } ?? []
                issues += issue(owner.layout.relationship(slot), of: owner, count(members, settled))
            }
        }
        var checked: Set<List> = []
        var unloaded: [ObjectIdentifier: [ListChange]] = [:]
        for list in settled.lists
        where list.relationship.isCounted && !list.owner._flags.contains(.inserted) {
            checked.insert(
                List(root: list.owner.layout.root, key: list.owner.key, slot: list.relationship.slot))
            if list.state.isLoaded {
                issues += issue(list.relationship, of: list.owner, count(list.state.members, settled))
            } else {
                unloaded[ObjectIdentifier(list.relationship), default: []].append(list)
            }
        }
        for lists in unloaded.values {
            let relationship = lists[0].relationship
            let stored = try memberKeys(relationship, of: lists.map(\.owner.key))
            for list in lists {
                var keys = remaining(stored[list.owner.key] ?? [], relationship, settled)
                keys.subtract(list.state.removed.values.map(\.key))
                keys.formUnion(list.state.gained.filter { !settled.isDeleted($0) }.map(\.key))
                issues += issue(relationship, of: list.owner, keys.count)
            }
        }
        // Owners that are stored again have the members that this save gives them.
        let again = Dictionary(
            grouping: settled.inserted.filter { $0.key > 0 && !$0.layout.countedSlots.isEmpty },
            by: \.layout.root)
        for counted in context.store.layouts.counted {
            issues += try moved(counted, again, &checked, &settled)
        }
        if !settled.deletedRows.isEmpty {
            for minimum in context.store.layouts.minimums { issues += try losses(minimum, checked, &settled) }
        }
        if !context.store.layouts.requiredToOnes.isEmpty {
            let missing = try RequiredToOnes(context, settled).missing(owners: ownerKeys)
            if !context.changes.leave(missing) { issues += missing.map(\.issue) }
        }
        // What was counted may be somebody else's change of an owner: then that is what is to be told.
        if !issues.isEmpty {
            try RowLocks(context, transaction).lock(updated: settled.updated.map(\.object), deleted: [])
        }
        return issues
    }

    // MARK: Moved members

    /// Adds the owners that gain or lose members although their own list does not show it: a merge reverted
    /// it.
    private func moved(
        _ counted: CountedRelationship, _ again: [Int: [ManagedObject]], _ checked: inout Set<List>,
        _ settled: inout SettledChanges
    ) throws -> [ValidationIssue] {
        let layout = context.layouts[counted.entity]
        let relationship = layout.relationship(counted.slot)
        var moves: [Int64: (left: Set<Int64>, came: Set<Int64>)] = [:]
        switch relationship.storage {
        case .inverse:
            guard let inverse = relationship.inverse else { return [] }
            let family = context.layouts[relationship.destination].family
            for object in settled.inserted where family.contains(object.layout.index) {
                let owner = object._toOneField(at: inverse)
                if owner.entity >= 0 { moves[owner.key, default: ([], [])].came.insert(object.key) }
            }
            for update in settled.updated
            where family.contains(update.object.layout.index) && update.slots.contains(inverse) {
                let object = update.object
                let (before, now) = (object.storedField(inverse), object._toOneField(at: inverse))
                if before.entity >= 0 { moves[before.key, default: ([], [])].left.insert(object.key) }
                if now.entity >= 0 { moves[now.key, default: ([], [])].came.insert(object.key) }
            }
        case .join(let columns):
            for link in settled.links where link.columns.table == columns.table {
                let isOwn = link.columns.ownColumn == columns.ownColumn
                let (owner, member) = isOwn ? (link.owner, link.member) : (link.member, link.owner)
                if link.isInsertion {
                    moves[owner.key, default: ([], [])].came.insert(member.key)
                } else {
                    moves[owner.key, default: ([], [])].left.insert(member.key)
                }
            }
        case .foreignKey, .memory: return []
        }
        var issues: [ValidationIssue] = []
        for owner in again[layout.root] ?? [] where layout.family.contains(owner.layout.index) {
            issues += issue(relationship, of: owner, moves[owner.key]?.came.count ?? 0)
            checked.insert(List(root: layout.root, key: owner.key, slot: counted.slot))
        }
        moves = moves.filter { key, _ in
            key > 0 && settled.deletedRows[layout.root]?[key] == nil
                && checked.insert(List(root: layout.root, key: key, slot: counted.slot)).inserted
        }
        if moves.isEmpty { return issues }
        let owners = moves.keys.sorted()
        try move(owners, layout, &settled)
        let stored = try memberKeys(relationship, of: owners)
        return issues
            + owners.flatMap { key in
                let (left, came) = moves[key] ?? ([], [])
                let members = remaining(stored[key] ?? [], relationship, settled).subtracting(left).union(
                    came)
                return issue(
                    relationship, of: context.object(entity: counted.entity, key: key), members.count)
            }
    }

    // MARK: Deleted members

    /// Returns the owners that a deletion takes below a minimum.
    private func losses(
        _ minimum: CountedRelationship, _ checked: Set<List>, _ settled: inout SettledChanges
    ) throws -> [ValidationIssue] {
        let layout = context.layouts[minimum.entity]
        let relationship = layout.relationship(minimum.slot)
        let destination = context.layouts[relationship.destination]
        let gone = (settled.deletedRows[destination.root] ?? [:]).filter {
            destination.family.contains($1.entity)
        }
        if gone.isEmpty { return [] }
        let owners = try ownerKeys(relationship, of: gone.keys.sorted()).filter { key in
            settled.deletedRows[layout.root]?[key] == nil
                && !checked.contains(List(root: layout.root, key: key, slot: minimum.slot))
        }
        if owners.isEmpty { return [] }
        try move(owners, layout, &settled)
        let stored = try memberKeys(relationship, of: owners)
        return owners.flatMap { key in
            let count = remaining(stored[key] ?? [], relationship, settled).count
            return issue(relationship, of: context.object(entity: minimum.entity, key: key), count)
        }
    }

    /// Makes the save move the versions of these owners; unread ones are locked before they are counted.
    private func move(_ owners: [Int64], _ layout: EntityLayout, _ settled: inout SettledChanges) throws {
        let updated = Set(settled.updated.map { ObjectIdentifier($0.object) })
        var unread: [Int64] = []
        for key in owners {
            if let object = context.registry.find(root: layout.root, key: key), !object.isFault {
                if !updated.contains(ObjectIdentifier(object)) {
                    // A row is written once: two statements would each move its version.
                    settled.forgetNullifications(of: key, root: layout.root, layouts: context.layouts)
                    let lost = settled.lostDestinations(of: object, layouts: context.layouts)
                    settled.updated.append(.init(object: object, slots: lost.sorted()))
                }
            } else if settled.isNullified(key, root: layout.root, layouts: context.layouts) {
                unread.append(key)
            } else if settled.movedOwners[layout.root, default: []].insert(key).inserted {
                unread.append(key)
            }
        }
        if unread.isEmpty { return }
        var parameters = Parameters()
        parameters.append(unread)
        let key = layout.table.key.name
        _ = try transaction.query(
            "SELECT 1 FROM \(layout.table) WHERE \(key) = ANY($1) ORDER BY \(key) FOR NO KEY UPDATE",
            parameters)
    }

    // MARK: Counting

    private func count(_ members: [ManagedObject], _ settled: SettledChanges) -> Int {
        members.count { !settled.isDeleted($0) }
    }

    private func remaining(
        _ members: [Int64], _ relationship: RelationshipLayout, _ settled: SettledChanges
    ) -> Set<Int64> {
        let gone = settled.deletedRows[context.layouts[relationship.destination].root] ?? [:]
        return Set(members.filter { gone[$0] == nil })
    }

    private func memberKeys(
        _ relationship: RelationshipLayout, of owners: [Int64]
    ) throws -> [Int64: [Int64]] {
        guard let (table, owner, member) = relationship.storage.pair else { return [:] }
        var members: [Int64: [Int64]] = [:]
        try rows("SELECT \(owner), \(member) FROM \(table) WHERE \(owner) = ANY($1)", owners) {
            members[$0[0].int64, default: []].append($0[1].int64)
        }
        return members
    }

    private func ownerKeys(_ relationship: RelationshipLayout, of members: [Int64]) throws -> [Int64] {
        guard let (table, owner, member) = relationship.storage.pair else { return [] }
        var owners: [Int64] = []
        try rows(
            "SELECT DISTINCT \(owner) FROM \(table) WHERE \(member) = ANY($1) AND \(owner) IS NOT NULL ORDER BY 1",
            members
        ) { owners.append($0[0].int64) }
        return owners
    }

    private func rows(_ sql: String, _ keys: [Int64], _ body: (Row) -> Void) throws {
        var parameters = Parameters()
        parameters.append(keys)
        try transaction.query(sql, parameters).forEachRow(body)
    }

    private func issue(
        _ relationship: RelationshipLayout, of owner: ManagedObject, _ count: Int
    ) -> [ValidationIssue] {
        Self.issue(relationship, of: owner, count)
    }

    /// Returns the issue for a number of members.
    static func issue(
        _ relationship: RelationshipLayout, of owner: ManagedObject, _ count: Int
    ) -> [ValidationIssue] {
        // Source: the documentation of Core Data's `minCount`: no minimum holds for an optional relationship without members.
        if count < relationship.minCount, count > 0 || !relationship.isOptional {
            return [
                ValidationIssue(
                    owner, relationship.name, ValidationIssue.tooFewMembers,
                    "has \(count) member\(count == 1 ? "" : "s"), and the model's minimum is \(relationship.minCount). "
                        + "Add more before you save"
                        + (relationship.isOptional ? ", or remove all." : ".")
                )
            ]
        }
        if relationship.maxCount > 0, count > relationship.maxCount {
            return [
                ValidationIssue(
                    owner, relationship.name, ValidationIssue.tooManyMembers,
                    "has \(count) member\(count == 1 ? "" : "s"), and the model's maximum is \(relationship.maxCount). "
                        + "Remove some before you save."
                )
            ]
        }
        return []
    }
}

extension RelationshipLayout.Storage {
    /// The table that pairs owners and members, and the columns of the two.
    package var pair: (table: String, owner: String, member: String)? {
        switch self {
        case .inverse(let columns): (columns.table.name, columns.column, columns.table.key.name)
        case .join(let columns): (columns.table, columns.ownColumn, columns.otherColumn)
        case .foreignKey, .memory: nil
        }
    }
}
