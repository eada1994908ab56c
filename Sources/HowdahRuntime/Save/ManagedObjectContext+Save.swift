extension ManagedObjectContext {
    /// Stores all changes in one transaction, or changes nothing at all; in a child context, makes them unsaved changes
    /// of its parent.
    ///
    /// Blocks for one to three round trips plus one per thousand rows of a shape, whatever the number of
    /// objects. Updates and deletes are checked against the version that was read: a row that somebody else
    /// changed is a conflict, and nothing is overwritten. After a failure the store is as before, and the
    /// context as after `willSave`. A save outside of an enclosing transaction tries a lost deadlock again by
    /// itself. With another ``mergePolicy`` than ``MergePolicy/error`` it resolves conflicts and tries again;
    /// what was resolved stays so if the save fails in the end.
    ///
    /// In a child it checks the same rules, except for unique values, sends nothing but what it has to read, and is a
    /// conflict where parent and child have changed the same property; see `docs/child-contexts.md`.
    ///
    /// Source: Core Data's `save()`.
    ///
    /// - Throws: `SaveError` with `conflict`, `validation`, `uniqueness`, `referentialIntegrity`, `locked`,
    ///   `deadlock`, `serializationFailure`, `deadlineExceeded`, `outcomeUnknown` or `database`; the failure of a fault, earlier or
    ///   while conflicts are resolved; `FetchError` for a stored value that a policy takes over and that the class cannot read;
    ///   `invalidRequest` if the context is storing its changes, because an attribute's `transformed()` or a log handler calls this;
    ///   `CancellationError`; the error of a validation hook if nothing else is wrong, see ``ValidationIssue/underlying``.
    public func save() throws {
        guard let undo = recorder.undo else { return try storeChanges() }
        // What hooks and merges change while the objects are stored is no action of the program's.
        try undo.suspended { try storeChanges() }
    }

    /// To the database, or one level up.
    private func storeChanges() throws {
        guard !changes.isCarryingOut else {
            throw FetchError(
                .invalidRequest,
                "save() was called while the context stores its changes or reads them again, from an attribute's transformation or a "
                    + "log handler. Save afterwards, such as in didSave().")
        }
        defer { releasePostponed() }
        do {
            try changes.saving { try backing.save(self) }
        } catch let error as SaveError {
            throw error.thrownAlone
        }
        mergeAtOnce()
    }

    /// Runs the stages that carry out what a save froze. Hooks of what they load wait for their end.
    func carryingOut<T>(_ body: () throws -> T) rethrows -> T {
        try loading {
            defer { registry.endArrivals() }
            return try keepingLateChanges { try changes.carryingOut(body) }
        }
    }

    /// Makes what was stored the clean state of the objects.
    func adopt(_ receipt: SaveReceipt) {
        let late = changes.takeLate()
        // What merges changed on the way; with a stack, saves are no step.
        takeEvent()
        forgetParts()
        unit?.noteStoring()
        if let unit, unit.isTransaction {
            if !unit.hasUndoings {
                unit.onRollback {
                    self.settleAfterRollback()
                    self.recorder.undo?.removeAllActions()
                }
            }
            let journal = AdoptionJournal(receipt, self)
            unit.onRollback { journal.restore(in: self) }
        }
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
        var news = ParentNews(for: self)
        for object in settled.inserted where object.owner === self {
            news.renamed(object, to: receipt.keys[object])
            registry.remove(object)
            object.key = receipt.keys[object]
            // 1, or one more than it had where the row is stored again.
            object.version += 1
            news.saved(object)
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
        adoptNullifications(settled, &news)
        for object in settled.updated.map(\.object) where object.owner === self {
            object.version += 1
            news.saved(object)
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
        adoptUnchanged(receipt.changes)
        restore(late)
        if receipt.lacksDerived { forgetDerived() }
        tellChildren(news)
    }

    /// Has objects read again whose derived attributes the store computed and nobody saw.
    private func forgetDerived() {
        for object in registry.all where object.layout.derived != nil && !object.hasChanges {
            object.turnIntoFault()
        }
    }

    /// Makes objects clean that were written to and have their old values, and forgets that there were changes.
    func adoptUnchanged(_ changes: ChangeSet) {
        for object in changes.unchanged { object.clearChanges() }
        for state in self.changes.touched { state.settle() }
        self.changes.removeAll()
    }

    private func adoptNullifications(_ settled: SettledChanges, _ news: inout ParentNews) {
        for (place, keys) in settled.nullifications {
            let root = layouts[place.entity].root
            for key in keys {
                guard let object = registry.find(root: root, key: key), !object._flags.contains(.fault)
                else {
                    continue
                }
                object._assignToOne(.none, at: place.slot)
                if place.movesVersions(layouts) { object.version += 1 }
                news.saved(object)
            }
        }
        for object in settled.inserted + settled.updated.map(\.object) {
            for slot in settled.lostDestinations(of: object, layouts: layouts) {
                object._assignToOne(.none, at: slot)
            }
        }
    }

    /// Collections, counts and destinations that were known before may lead to rows that are gone; which ones
    /// cannot be told from deleted rows that were never loaded.
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

    /// Takes a deleted object out of the graph: out of loaded collections, and out of the identity map.
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
            var field = ToOneField.none
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
