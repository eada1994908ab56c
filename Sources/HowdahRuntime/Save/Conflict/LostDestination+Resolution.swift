extension LostDestination {
    /// Gives the object another destination, if the type of resolution has one.
    ///
    /// - Throws: `FetchError` for a stored value that the object's class cannot read; nothing is changed
    ///   then.
    func resolve(by type: MergePolicy.MergeType, _ stored: StoredRow?) throws {
        let relationship = object.layout.relationship(slot)
        if relationship.isToMany { return object.removeMember(destination, slot) }
        switch type {
        case .error: return
        case .mergeByPropertyStoreTrump where stored != nil:
            letGo()
            object.takeStored(slot, of: stored)
        case .rollback where stored != nil:
            if let stored { try object.merge(stored, by: .rollback) }
        case .mergeByPropertyStoreTrump, .rollback, .mergeByPropertyObjectTrump, .overwrite:
            if relationship.isOptional { letGo() }
        }
    }

    /// Clears the object's destination.
    ///
    /// That is not a change of the former destination: a deleted row can be neither read nor written.
    private func letGo() {
        guard remains else { return }
        object._willWrite(slot)
        object._assignToOne(.none, at: slot)
        let relationship = object.layout.relationship(slot)
        guard let inverse = relationship.inverse else { return }
        if relationship.inverseIsToMany {
            let state = destination._toManyState(at: inverse)
            state?.remove(object)
            state?.forgetEdit(of: object)
            state?.numbers[object.key] = nil
        } else if destination._toOneField(at: inverse).object === object {
            destination._assignToOne(.none, at: inverse)
        }
    }
}
