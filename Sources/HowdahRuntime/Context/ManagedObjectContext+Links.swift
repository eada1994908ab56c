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

    /// Looks up a pair in the store before it is changed back, if its first change was made without a lookup.
    ///
    /// The result determines whether the change back leaves something to save.
    ///
    /// - Returns: True if nothing is left to save.
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

    /// Returns the rows of a join table that represent a pair; none if no table has it.
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
    /// Records a pending pair of a join table on both of its sides.
    func noteMembership(of link: LinkChanges.Change) {
        link.owner.noteMember(link.member, link.slot, isInsertion: link.isInsertion)
        if let inverse = link.inverse {
            link.member.noteMember(link.owner, inverse, isInsertion: link.isInsertion)
        }
    }
}
