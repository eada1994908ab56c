import HowdahModel

extension ManagedObjectContext {
    func noteLink(
        _ owner: ManagedObject, _ member: ManagedObject, slot: Int, isInsertion: Bool, isCertain: Bool
    ) {
        recorder.noteLink(owner, member, slot: slot, isInsertion: isInsertion)
        for change in linkChanges(owner, member, slot, isInsertion: isInsertion, isCertain: isCertain) {
            changes.note(change)
        }
    }

    /// Asks the store about a pair that is about to be changed back, where it was first changed without a look: only
    /// with that known does the change back leave nothing to be saved, or the right thing.
    ///
    /// - Returns: whether the change that is about to come leaves nothing.
    func clarifyLink(_ owner: ManagedObject, _ member: ManagedObject, slot: Int, isInsertion: Bool) -> Bool {
        if links.isEmpty { return false }
        let changes = linkChanges(owner, member, slot, isInsertion: isInsertion, isCertain: false)
        guard let first = changes.first, let prior = links.pending(for: first),
            prior.isInsertion != isInsertion
        else { return false }
        if prior.isCertain { return true }
        let isStored = holdsMember(member, of: owner, slot: slot)
        if failure != nil { return false }
        for change in changes {
            if let prior = links.pending(for: change) { self.changes.settle(prior, isStored: isStored) }
        }
        if prior.isInsertion != isStored { return true }
        // What was said before was no change, and nothing to be undone or told.
        recorder.dropLink(owner, member, slot: slot)
        owner.toManyState(slot).forgetEdit(of: member)
        if let inverse = owner.layout.relationship(slot).inverse {
            member.toManyState(inverse).forgetEdit(of: owner)
        }
        return false
    }

    /// The rows of a join table that a pair is; none where no table has it.
    private func linkChanges(
        _ owner: ManagedObject, _ member: ManagedObject, _ slot: Int, isInsertion: Bool, isCertain: Bool
    ) -> [LinkChanges.Change] {
        let relationship = owner.layout.relationship(slot)
        guard case .join(let columns) = relationship.storage else { return [] }
        func change(
            _ columns: JoinColumns, _ owner: ManagedObject, _ member: ManagedObject, _ slot: Int,
            _ inverse: Int?
        ) -> LinkChanges.Change {
            .init(
                columns: columns, owner: owner, member: member, slot: slot, inverse: inverse,
                isInsertion: isInsertion, isCertain: isCertain)
        }
        if relationship.isSelfInverse {
            // Both directions are rows, so that reading follows one of them, as everywhere.
            let there = change(columns, owner, member, slot, slot)
            return owner === member ? [there] : [there, change(columns, member, owner, slot, slot)]
        }
        if columns.isPrimarySide { return [change(columns, owner, member, slot, relationship.inverse)] }
        guard let inverse = relationship.inverse,
            case .join(let turned) = member.layout.relationship(inverse).storage
        else { return [] }
        return [change(turned, member, owner, inverse, slot)]
    }
}

extension ManagedObjectContext {
    /// Tells both sides of a pending pair of a join table about it.
    func noteMembership(of link: LinkChanges.Change) {
        link.owner.noteMember(link.member, link.slot, isInsertion: link.isInsertion)
        if let inverse = link.inverse {
            link.member.noteMember(link.owner, inverse, isInsertion: link.isInsertion)
        }
    }
}
