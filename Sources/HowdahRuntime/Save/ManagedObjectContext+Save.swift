extension ManagedObjectContext {
    /// Stores all changes in one transaction, or none; in a child context, makes them unsaved changes of its
    /// parent.
    ///
    /// The call blocks for one to three round trips plus one per thousand rows of a shape, for any number of
    /// objects. Updates and deletes compare the version that was read. If another session changed a row, that
    /// is a conflict, and nothing is overwritten.
    ///
    /// After a failure the store is as before, and the context as after `willSave`. If the save is not in an
    /// enclosing transaction and loses a deadlock, it retries. With another ``mergePolicy`` than
    /// ``MergePolicy/error`` it resolves conflicts and retries. If the save fails in the end, resolved
    /// conflicts stay resolved.
    ///
    /// A save in a child checks the same rules, except for unique values, and sends only the queries that it
    /// needs. If parent and child have changed the same property, that is a conflict; see
    /// `docs/child-contexts.md`.
    ///
    /// Source: Core Data's `save()`.
    ///
    /// - Throws: `SaveError` with `conflict`, `validation`, `uniqueness`, `referentialIntegrity`, `locked`,
    ///   `deadlock`, `serializationFailure`, `deadlineExceeded`, `outcomeUnknown` or `database`.
    ///
    /// The error of a fault that could not be filled, earlier or while conflicts are resolved. `FetchError`
    /// if a policy takes a stored value that the class cannot read. `FetchError.invalidRequest` if an
    /// attribute's `transformed()` or a log handler calls this while the context stores its changes.
    /// `CancellationError`.
    ///
    /// The error of a validation hook if nothing else is wrong; see ``ValidationIssue/underlyingError``.
    public func save() throws {
        guard let undo = recorder.undo else { return try storeChanges() }
        // What hooks and merges change while the objects are stored is no action of the program's.
        try undo.suspended { try storeChanges() }
    }

    /// Stores the changes in the database, or in the parent context.
    private func storeChanges() throws {
        guard !changes.isCarryingOut else {
            throw FetchError(
                .invalidRequest,
                "An attribute's transformation or a log handler called save() while the context was saving "
                    + "its changes or reading them again. Call save() afterwards, for example in didSave().")
        }
        if let call = changes.openCall { throw call.refusal(of: "save()") }
        defer { releasePostponed() }
        do {
            try changes.saving {
                try checkExpectedVersions()
                try backing.save(self)
            }
        } catch let error as SaveError {
            throw error.thrownAlone
        }
        mergeAtOnce()
    }

    /// Runs the stages that carry out a frozen save. Hooks of the objects that they load wait until the
    /// stages end.
    func carryingOut<T>(_ body: () throws -> T) rethrows -> T {
        try loading {
            defer { registry.endArrivals() }
            return try keepingLateChanges { try changes.carryingOut(body) }
        }
    }

    /// Throws if the frozen changes must not be stored as they are.
    func checkBeforeWriting() throws {
        // A fault that failed on the way would be reported after everything is stored.
        try throwFailure()
        try changes.restartIfLate()
        try checkExpectedVersions()
    }

    /// Marks the stored changes as the clean state of the objects.
    func adopt(_ receipt: SaveReceipt) {
        adopting(receipt) { adoptStored(receipt, &$0) }
    }

    /// Runs the steps of every adoption before and after `adoptObjects`, which marks the stored objects as clean.
    func adopting(_ receipt: SaveReceipt, _ adoptObjects: (inout ParentChanges) -> Void) {
        let late = changes.takeLate()
        let (compared, others) = comparedVersions(receipt)
        // What merges changed on the way; with a stack, saves are no step.
        takeEvent()
        forgetParts()
        unit?.noteStoring()
        restoreAfterRollback(receipt, comparing: compared)
        // A log handler may have made a child while the rows were stored.
        var parentChanges = ParentChanges(for: self)
        adoptObjects(&parentChanges)
        adoptUnchanged(receipt.changes)
        compareAgain(others)
        restore(late)
        if receipt.lacksDerived { forgetDerived() }
        tellChildren(parentChanges)
    }

    private func adoptStored(_ receipt: SaveReceipt, _ parentChanges: inout ParentChanges) {
        let settled = receipt.settled
        if let undo = recorder.undo {
            undo.bury(
                settled.deletedRows.flatMap { root, rows in
                    rows.keys.compactMap { registry.find(root: root, key: $0) }
                }
                    + inserted.filter {
                        $0._flags.isSuperset(of: [.inserted, .deleted])
                            || settled.dropped.contains(ObjectIdentifier($0))
                    })
        }
        for object in settled.inserted where object.owner === self {
            parentChanges.renamed(object, to: receipt.keys[object])
            registry.remove(object)
            object.key = receipt.keys[object]
            // 1, or one more than it had where the row is stored again.
            object.version += 1
            parentChanges.saved(object)
            object._flags.remove(.inserted)
            object.clearChanges()
            registry.insert(object)
        }
        // After the keys: the numbers are known by them.
        for list in receipt.orders.lists {
            list.state.numbers = Dictionary(
                zip(list.members.map(\.key), list.numbers), uniquingKeysWith: { first, _ in first })
        }
        if store.layouts.hasDerived { adoptDerived(receipt) }
        adoptNullifications(settled, &parentChanges)
        for object in settled.updated.map(\.object) where object.owner === self {
            object.version += 1
            parentChanges.saved(object)
            object.clearChanges()
        }
        for (root, rows) in settled.deletedRows {
            for key in rows.keys {
                guard let object = registry.find(root: root, key: key) else { continue }
                forgetDeleted(object)
            }
        }
        for object in receipt.changes.discarded { forgetDeleted(object) }
        for object in inserted where settled.dropped.contains(ObjectIdentifier(object)) && object.owner != nil
        {
            forgetDeleted(object)
        }
        let roots = Set(settled.deletedRows.keys).union(receipt.changes.discarded.map(\.layout.root))
        if !roots.isEmpty { forgetReferences(toHierarchies: roots) }
    }

    /// Makes the stored changes unsaved again if the unit's transaction does not commit.
    ///
    /// - Parameter compared: The versions that the save compared and drops.
    func restoreAfterRollback(_ receipt: SaveReceipt, comparing compared: [NamedVersions.Entry] = []) {
        guard let unit, unit.isTransaction else { return }
        settleIfRolledBack(unit)
        let journal = AdoptionJournal(receipt, self)
        unit.onRollback {
            // What is unsaved again is still based on the versions that the program named.
            let expected = self.versionsAfterRollback(compared)
            journal.restore(in: self)
            self.compareAgain(expected)
        }
    }

    /// Makes objects that were read in a transaction load again if the transaction is rolled back.
    func settleIfRolledBack(_ unit: UnitOfWork) {
        guard !unit.hasUndoings else { return }
        unit.onRollback {
            self.settleAfterRollback()
            self.recorder.undo?.removeAllActions()
        }
    }

    /// Makes objects load again if the store computed their derived attributes and the context did not read
    /// them.
    func forgetDerived() {
        for object in registry.all where object.layout.derived != nil && !object.hasChanges {
            object.turnIntoFault()
        }
    }

    /// Clears the changes of objects that have their old values again, and then all records of changes.
    ///
    /// - Parameter keepingVersions: Indicates that the save stored nothing, so that the next one compares the
    ///   versions.
    func adoptUnchanged(_ changes: ChangeSet, keepingVersions: Bool = false) {
        for object in changes.unchanged { object.clearChanges() }
        for state in self.changes.touched { state.settle() }
        self.changes.removeAll(keepingVersions: keepingVersions)
    }

    private func adoptNullifications(_ settled: SettledChanges, _ parentChanges: inout ParentChanges) {
        for (place, keys) in settled.nullifications {
            let root = layouts[place.entity].root
            for key in keys {
                guard let object = registry.find(root: root, key: key), !object._flags.contains(.fault)
                else {
                    continue
                }
                object._assignToOne(.none, at: place.slot)
                if place.movesVersions(layouts) { object.version += 1 }
                parentChanges.saved(object)
            }
        }
        for object in settled.inserted { loseDestinations(object, settled) }
        for update in settled.updated { loseDestinations(update.object, settled) }
    }

    private func loseDestinations(_ object: ManagedObject, _ settled: SettledChanges) {
        for slot in settled.lostDestinations(of: object, layouts: layouts) {
            object._assignToOne(.none, at: slot)
        }
    }

    /// Clears collections, counts and destinations that may refer to deleted rows.
    ///
    /// The deleted rows that were never loaded are unknown, so all of these hierarchies are cleared.
    private func forgetReferences(toHierarchies roots: Set<Int>) {
        for object in registry.all {
            for slot in object.layout.relationshipSlots {
                let relationship = object.layout.relationship(slot)
                guard roots.contains(layouts[relationship.destination].root) else { continue }
                object._toManyState(at: slot)?.forgetDeleted()
                var field = object._toOneField(at: slot)
                guard field.object?._flags.contains(.deleted) == true else { continue }
                // A foreign key that no rule cleared still leads to the missing row.
                if case .foreignKey = relationship.storage { field.object = nil } else { field = .none }
                object._assignToOne(field, at: slot)
            }
        }
    }

    /// Removes a deleted object from the graph: from loaded collections and from the identity map.
    func forgetDeleted(_ object: ManagedObject) {
        object._flags.insert(.deleted)
        for slot in object.layout.relationshipSlots {
            guard let relationship = object.layout.slots[slot].relationship,
                let inverse = relationship.inverse
            else { continue }
            let field = object._toOneField(at: slot)
            let known =
                field.entity >= 0
                ? registry.find(root: layouts[Int(field.entity)].root, key: field.key) : nil
            if let destination = field.object ?? known {
                destination.dropReference(
                    to: object, inverse, isToMany: relationship.inverseIsToMany, layouts)
            }
            for member in object._toManyState(at: slot)?.members ?? [] {
                member.dropReference(
                    to: object, inverse, isToMany: relationship.inverseIsToMany, layouts)
            }
        }
        forget(object)
        object.detach(from: self)
    }
}

extension ManagedObject {
    fileprivate final func dropReference(
        to object: ManagedObject, _ slot: Int, isToMany: Bool, _ layouts: [EntityLayout]
    ) {
        if isToMany {
            let state = _toManyState(at: slot)
            state?.remove(object)
            // This is no change of the list's.
            state?.forgetEdit(of: object)
            state?.numbers[object.key] = nil
        } else if _toOneField(at: slot).object === object {
            var field = _ToOneField.none
            let relationship = layout.relationship(slot)
            if case .foreignKey = relationship.storage, relationship.outlivesDestination(layouts) {
                // No rule clears the row's key, and so a fresh context has it too.
                field = _toOneField(at: slot)
                field.object = nil
            }
            _assignToOne(field, at: slot)
        }
    }
}
