/// A new object forwards to another registered object if a merge policy found that both stand for one row.
///
/// A forwarding object has no state. It stays a fault without a context; each access copies the value from
/// its successor, and each change is made there. Code that takes an object from a program uses ``resolved``.
/// No list of a context and no relationship holds a forwarding object.
extension ManagedObject {
    /// The object itself, or the one that it forwards to.
    package final var resolved: ManagedObject {
        guard _flags.contains(.forwarding), let successor = changes?.successor else { return self }
        return successor.resolved
    }

    /// Makes the object forward to another one, which is registered in `owner` and stands for the same row.
    final func forward(to successor: ManagedObject, in owner: any ObjectOwner) {
        key = successor.key
        detach(from: owner)
        changes = ChangeRecord(formerOwner: owner, successor: successor)
        _flags.subtract([.inserted, .updated, .deleted, .prepared, .linksChanged, .listChanged, .partial])
        _flags.formUnion([.forwarding, .fault])
    }

    /// Copies an attribute from the successor.
    final func copyFromSuccessor(_ slot: Int) {
        let successor = resolved
        guard case .attribute = layout.slots[slot].kind, successor !== self else { return }
        successor._willRead(slot)
        _ = _assign(successor._value(at: slot), at: slot)
    }

    /// Passes an attribute that was just set to the successor.
    @usableFromInline final func _passOn(_ slot: Int) {
        let successor = resolved
        guard successor !== self else { return }
        successor._willWrite(slot)
        _ = successor._assign(_value(at: slot), at: slot)
    }
}
