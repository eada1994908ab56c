import HowdahModel

extension ManagedObjectContext {
    /// The new objects in order of insertion; those that are no longer new are skipped by their flags.
    var inserted: [ManagedObject] { changes.inserted }
    var updated: [ManagedObject] { changes.updated }
    var deleted: [ManagedObject] { changes.deleted }
    var links: LinkChanges { changes.links }
    /// The changes since the last event ended; nil if no listener needs them, and while nothing is recorded.
    var event: ContextEvent? { recorder.event }
    var inbox: MergeInbox? { recorder.inbox }
    /// The record that detached objects share, by which they find this context.
    var detachment: ChangeRecord { registry.detachment(from: self) }
    /// Indicates whether changes are being reverted; the reversal knows the former values.
    var isReverting: Bool { recorder.isReverting }

    /// Runs `body`, in which references may change without being noted, with a separate index.
    func indexingReferences<T>(_ body: () throws -> T) rethrows -> T {
        try changes.indexingReferences(body)
    }

    /// The unsaved to-one references to an object, in the order in which their objects were inserted or changed.
    func pendingReferences(to destination: ManagedObject) -> [PendingReferences.Reference] {
        changes.references(to: destination)
    }

    /// Records a new destination of an object's to-one.
    func noteReference(of object: ManagedObject, _ slot: Int, to destination: ManagedObject) {
        changes.noteReference(of: object, slot, to: destination)
    }

    /// Runs `body` without recording changes.
    func unobserved(_ body: () -> Void) { recorder.unobserved(body) }

    func forgetFetchedObjects(of object: ManagedObject) { registry.forgetFetchedObjects(of: object) }
}
