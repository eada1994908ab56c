public import HowdahModel

/// The changes of a context within one event, by id; ids of new objects are temporary until you save them.
///
/// Each object is in one of the lists, and in it once.
///
/// Source: Core Data's `NSManagedObjectContextObjectsDidChange`.
public struct ContextChange: Sendable, Hashable {
    /// The objects that were created, or whose deletion was reverted.
    public var insertedObjectIDs: [ObjectID<ManagedObject>] = []
    /// The objects with a changed property; a change of a relationship is one of both its ends.
    public var updatedObjectIDs: [ObjectID<ManagedObject>] = []
    /// The objects that were deleted, or whose insertion was reverted.
    public var deletedObjectIDs: [ObjectID<ManagedObject>] = []
    /// The objects with other values without a change of the program: they were refreshed, rolled back or
    /// merged.
    public var refreshedObjectIDs: [ObjectID<ManagedObject>] = []

    var isEmpty: Bool {
        insertedObjectIDs.isEmpty && updatedObjectIDs.isEmpty && deletedObjectIDs.isEmpty
            && refreshedObjectIDs.isEmpty
    }
}

extension ContextChange {
    /// Creates the changes of an event, without objects that were created and deleted within it.
    init(_ event: ContextEvent) {
        var isKnown: Set<ObjectIdentifier> = []
        func take(_ objects: [ManagedObject]) -> [ManagedObject] {
            objects.filter { isKnown.insert(ObjectIdentifier($0)).inserted }
        }
        func isGone(_ object: ManagedObject) -> Bool {
            !object._flags.isDisjoint(with: [.deleted, .detached])
        }
        let born = take(event.inserted)
        insertedObjectIDs = born.filter { !isGone($0) }.map(\.objectID)
        deletedObjectIDs = take(event.deleted.filter(isGone)).map(\.objectID)
        refreshedObjectIDs = take(event.refreshed.filter { !isGone($0) }).map(\.objectID)
        let touched = event.written.flatMap(\.ends) + event.links.flatMap { [$0.owner, $0.member] }
        updatedObjectIDs = take(touched.filter { !isGone($0) }).map(\.objectID)
    }
}

extension ContextEvent.Written {
    /// The object, and the present and former other ends of its changed relationships.
    fileprivate var ends: [ManagedObject] {
        var ends = [object]
        for (slot, original) in originals {
            guard case .toOne(let former) = original, object.layout.relationship(slot).inverse != nil else {
                continue
            }
            ends += [former.object, object._toOneField(at: slot).object].compactMap(\.self)
        }
        return ends
    }
}
