extension ManagedObjectContext {
    /// Stores all changes in one transaction, or changes nothing at all.
    ///
    /// Blocks for one to three round trips plus one per thousand rows of a shape, whatever the number of objects.
    /// Updates and deletes are checked against the version that was read: a row that somebody else changed is a
    /// conflict, and nothing is overwritten. After a failure, store and context are as before. A save outside of an
    /// enclosing transaction tries a lost deadlock again by itself.
    ///
    /// Source: Core Data's `save()`.
    ///
    /// - Throws: `SaveError` with `conflict`, `validation`, `uniqueness`, `referentialIntegrity`, `outcomeUnknown`
    ///   or `database`; the failure of an earlier fault; `CancellationError`.
    public func save() throws {
        try SavePipeline(context: self).run()
    }

    /// Makes what was stored the clean state of the objects.
    func adopt(_ receipt: SaveReceipt) {
        if let unit, unit.isTransaction {
            let journal = AdoptionJournal(receipt, self)
            unit.onRollback { journal.restore(in: self) }
        }
        let settled = receipt.settled
        for object in settled.inserted {
            identityMaps.remove(object)
            object.key = receipt.keys[object]
            object.version = 1
            object._flags.remove(.inserted)
            object.clearChanges()
            identityMaps.insert(object)
        }
        for object in settled.updated {
            // A change of links alone writes no row and moves no version.
            if object.hasWrittenColumns { object.version += 1 }
            object.clearChanges()
        }
        adoptNullifications(settled)
        for (root, rows) in settled.deletedRows {
            for key in rows.keys {
                guard let object = identityMaps.find(root: root, key: key) else { continue }
                forgetDeleted(object)
            }
        }
        // A new object that was deleted again, or that a cascade took along, was never stored.
        for object in inserted where object._flags.contains(.inserted) && object.owner != nil {
            if object._flags.contains(.deleted) || settled.dropped.contains(ObjectIdentifier(object)) {
                forgetDeleted(object)
            }
        }
        for state in touched { state.settle() }
        forgetChanges()
    }

    private func adoptNullifications(_ settled: SettledChanges) {
        for (place, keys) in settled.nullifications {
            let root = layouts[place.entity].root
            for key in keys {
                guard let object = identityMaps.find(root: root, key: key), !object._flags.contains(.fault)
                else {
                    continue
                }
                object._assignToOne(.none, at: place.slot)
                object.version += 1
            }
        }
        for object in settled.inserted + settled.updated {
            for slot in object.layout.relationshipSlots {
                guard case .toOne(let relationship) = object.layout.slots[slot].kind,
                    case .foreignKey = relationship.storage
                else { continue }
                let field = object._toOneField(at: slot)
                if field.entity >= 0, settled.destination(of: object, slot: slot, layouts: layouts).isNone {
                    object._assignToOne(.none, at: slot)
                }
            }
        }
    }

    /// Takes a deleted object out of the graph: out of loaded collections, and out of the identity map.
    private func forgetDeleted(_ object: ManagedObject) {
        object._flags.insert(.deleted)
        for slot in object.layout.relationshipSlots {
            guard let relationship = object.layout.slots[slot].relationship,
                let inverse = relationship.inverse
            else { continue }
            let field = object._toOneField(at: slot)
            let known =
                field.entity >= 0
                ? identityMaps.find(root: layouts[Int(field.entity)].root, key: field.key) : nil
            if let destination = field.object ?? known {
                destination.dropReference(to: object, inverse, isToMany: relationship.inverseIsToMany)
            }
            for member in object._toManyState(at: slot)?.members ?? [] {
                member.dropReference(to: object, inverse, isToMany: relationship.inverseIsToMany)
            }
        }
        identityMaps.remove(object)
        object.detach()
    }
}

extension ManagedObject {
    fileprivate final var hasWrittenColumns: Bool {
        layout.slots.indices.contains { isWritten($0) && !layout.slots[$0].columns.isEmpty }
    }

    fileprivate final func dropReference(to object: ManagedObject, _ slot: Int, isToMany: Bool) {
        if isToMany {
            _toManyState(at: slot)?.remove(object)
        } else if _toOneField(at: slot).object === object {
            _assignToOne(.none, at: slot)
        }
    }
}
