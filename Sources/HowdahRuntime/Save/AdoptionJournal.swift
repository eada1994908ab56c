/// What a save inside a larger transaction took off the list of changes, so that a rollback of that transaction
/// can make it pending again. Objects that were new keep the permanent keys they got.
struct AdoptionJournal {
    private let inserted: [ManagedObject]
    private let updated: [Updated]
    private let deleted: [Deleted]
    private let nullified: [Nullified]
    private let links: LinkChanges

    private struct Updated {
        let object: ManagedObject
        let changes: ChangeRecord?
        let written: UInt64
        let version: Int64
    }

    private struct Deleted {
        let object: ManagedObject
        let wasAsked: Bool
    }

    private struct Nullified {
        let object: ManagedObject
        let slot: Int
        let field: ToOneField
    }

    init(_ receipt: SaveReceipt, _ context: ManagedObjectContext) {
        let settled = receipt.settled
        inserted = settled.inserted
        updated = settled.updated.map {
            Updated(
                object: $0.object, changes: $0.object.changes, written: $0.object._written, version: $0.object.version)
        }
        deleted = settled.deletedRows.values.flatMap { rows in
            rows.values.compactMap { row in
                row.object.map { Deleted(object: $0, wasAsked: $0._flags.contains(.deleted)) }
            }
        }
        nullified = settled.nullifications.flatMap { place, keys in
            keys.compactMap { key in
                context.identityMaps.find(root: context.layouts[place.entity].root, key: key).map {
                    Nullified(object: $0, slot: place.slot, field: $0._toOneField(at: place.slot))
                }
            }
        }
        links = context.links
    }

    /// Makes everything pending again.
    func restore(in context: ManagedObjectContext) {
        for object in inserted where object.owner != nil {
            object._flags.insert(.inserted)
            object.version = 0
            context.inserted.append(object)
        }
        for entry in updated where entry.object.owner != nil {
            entry.object.changes = entry.changes
            entry.object._written = entry.written
            entry.object.version = entry.version
            context.noteUpdate(entry.object)
        }
        for entry in nullified where entry.object.owner != nil {
            entry.object._assignToOne(entry.field, at: entry.slot)
            entry.object.version -= 1
        }
        for entry in deleted { context.revive(entry.object, asDeleted: entry.wasAsked) }
        for link in links.all { context.links.note(link) }
        // Collections are read anew, and then given what is pending.
        for object in context.identityMaps.all where !object._flags.contains(.inserted) {
            object.releaseMembers()
        }
        for object in context.insertedObjects + context.updatedObjects { context.noteMemberships(of: object) }
        for link in links.all { context.noteMembership(of: link) }
    }
}

extension ManagedObjectContext {
    fileprivate func revive(_ object: ManagedObject, asDeleted: Bool) {
        guard identityMaps.find(root: object.layout.root, key: object.key) == nil else { return }
        object.owner = self
        object._flags.remove(.detached)
        object._flags.insert(.registered)
        identityMaps.insert(object)
        if asDeleted {
            deleted.append(object)
        } else {
            object._flags.remove(.deleted)
            object.turnIntoFault()
        }
    }

    fileprivate func noteMemberships(of object: ManagedObject) {
        for slot in object.layout.relationshipSlots {
            guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                relationship.inverseIsToMany,
                let inverse = relationship.inverse,
                object._flags.contains(.inserted) || object.isWritten(slot),
                let destination = object._toOneField(at: slot).object
            else { continue }
            destination.noteMember(object, inverse, isInsertion: true)
        }
    }

    func noteMembership(of link: LinkChanges.Change) {
        for relationship in link.owner.layout.relationshipSlots.map(link.owner.layout.relationship) {
            guard case .join(let columns) = relationship.storage, columns == link.columns else { continue }
            link.owner.noteMember(link.member, relationship.slot, isInsertion: link.isInsertion)
            if let inverse = relationship.inverse {
                link.member.noteMember(link.owner, inverse, isInsertion: link.isInsertion)
            }
        }
    }
}
