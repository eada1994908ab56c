extension ManagedObjectContext {
    /// Marks the stored object as clean, as ``adopt(_:)`` does for any changes.
    func adoptSoleUpdate(_ receipt: SaveReceipt) {
        adopting(receipt) { parentChanges in
            let object = receipt.settled.updated[0].object
            guard object.owner === self else { return }
            object.version += 1
            parentChanges.saved(object)
            object.clearChanges()
        }
    }

    /// Marks one stored object as clean; the other changes stay unsaved.
    func adoptAlone(_ receipt: SaveReceipt) {
        let late = changes.takeLate()
        unit?.noteStoring()
        restoreAfterRollback(receipt)
        var parentChanges = ParentChanges(for: self)
        for object in receipt.settled.inserted where object.owner === self {
            parentChanges.renamed(object, to: receipt.keys[object])
            registry.remove(object)
            object.key = receipt.keys[object]
            object.version += 1
            parentChanges.saved(object)
            object._flags.remove(.inserted)
            object.clearChanges()
            registry.insert(object)
            changes.removeInserted(object)
            forgetMembership(of: object)
        }
        if store.layouts.hasDerived { adoptDerived(receipt) }
        restore(late)
        if receipt.lacksDerived { forgetDerived() }
        tellChildren(parentChanges)
    }

    /// Makes to-manys that are not loaded read the stored object, rather than keep it as a pending member.
    private func forgetMembership(of object: ManagedObject) {
        for slot in object.layout.relationshipSlots {
            let relationship = object.layout.relationship(slot)
            guard relationship.inverseIsToMany, let inverse = relationship.inverse,
                case .foreignKey = relationship.storage,
                let state = object._toOneField(at: slot).object?._toManyState(at: inverse), !state.isLoaded
            else { continue }
            state.forgetPending(of: object)
            state.storedCount = nil
        }
    }
}
