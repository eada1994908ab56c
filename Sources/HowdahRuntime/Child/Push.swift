import HowdahModel

/// The changes that a child pushes: those of a save, and those that no column keeps.
struct Push {
    let changes: ChangeSet
    /// Stored objects with the slots that differ from the values read, transient ones too.
    let updated: [(object: ManagedObject, slots: [Int])]
    /// Transient to-manys with other members than before.
    let transients: [(owner: ManagedObject, slot: Int, state: _ToManyState)]

    init(_ changes: ChangeSet, _ context: ManagedObjectContext) {
        self.changes = changes
        updated = (changes.updated.map(\.object) + changes.unchanged).map {
            (object: $0, slots: $0.changedSlots)
        }
        .filter { !$0.slots.isEmpty || !$0.object.editedLists.isEmpty }
        let hasTransients = context.layouts.contains { !$0.transientSlots.isEmpty }
        let objects = hasTransients ? context.registry.all.filter { !$0._flags.contains(.deleted) } : []
        transients = objects.flatMap { owner in
            owner.layout.transientSlots.compactMap { slot in
                guard let state = owner._toManyState(at: slot), state.originals != nil else { return nil }
                return (owner, slot, state)
            }
        }
    }

    /// Freezes the changes of a context; again if `transformed()` changes a value while values are compared.
    ///
    /// - Throws: `SaveError.validation` if it does so each time; the errors of hooks.
    static func frozen(
        _ context: ManagedObjectContext, _ notified: inout Set<ObjectIdentifier>
    ) throws -> Push {
        for _ in 0..<10 {
            let changes = try context.freezeChanges(&notified)
            let (push, isChanged) = context.noticingChanges { Push(changes, context) }
            if !isChanged { return push }
        }
        throw SaveError(
            .validation,
            "The save called transformed() 10 times, and it changed objects each time. Set a value in this "
                + "method only if the value differs from the present one.")
    }

    var isEmpty: Bool { changes.isEmpty && updated.isEmpty && transients.isEmpty }

    /// The objects whose hooks are called.
    var savedObjects: [ManagedObject] {
        changes.inserted + changes.updated.map(\.object) + changes.deleted
    }
}

extension ManagedObject {
    /// The slots of to-ones that this object's own row sets.
    final var ownToOneSlots: [Int] {
        layout.relationshipSlots.filter { slot in
            guard case .toOne(let relationship) = layout.slots[slot].kind else { return false }
            switch relationship.storage {
            case .foreignKey, .memory: return true
            case .inverse, .join: return false
            }
        }
    }
}
