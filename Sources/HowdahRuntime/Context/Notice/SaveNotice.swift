public import HowdahModel

/// What one save stored, by id: what another context needs to know to follow.
///
/// Source: Core Data's `NSManagedObjectContextDidSaveObjectIDs`.
public struct SaveNotice: Sendable, Hashable {
    /// The objects whose rows are new, with their permanent ids.
    public var insertedObjectIDs: [ObjectID<ManagedObject>]
    /// The objects whose rows, relationships or derived values changed; those included that lost a reference by a delete
    /// rule. A relationship is one of both its ends, as far as the saving context knew them.
    public var updatedObjectIDs: [ObjectID<ManagedObject>]
    /// The objects whose rows are gone; those included that a cascade reached without their being loaded.
    public var deletedObjectIDs: [ObjectID<ManagedObject>]

    /// Makes a notice of ids, as of a batch deletion.
    public init(
        inserted: [ObjectID<ManagedObject>] = [], updated: [ObjectID<ManagedObject>] = [],
        deleted: [ObjectID<ManagedObject>] = []
    ) {
        insertedObjectIDs = inserted
        updatedObjectIDs = updated
        deletedObjectIDs = deleted
    }

    /// Whether the notice says nothing.
    public var isEmpty: Bool { count == 0 }

    /// How many ids there are.
    var count: Int { insertedObjectIDs.count + updatedObjectIDs.count + deletedObjectIDs.count }
}
