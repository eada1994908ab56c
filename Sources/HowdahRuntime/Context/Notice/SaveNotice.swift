public import HowdahModel

/// The changes that one save stored, by id, so that another context can follow.
///
/// Source: Core Data's `NSManagedObjectContextDidSaveObjectIDs`.
public struct SaveNotice: Sendable, Hashable {
    /// The objects with new rows, with their permanent ids.
    public var insertedObjectIDs: [ObjectID<ManagedObject>]
    /// The objects whose rows, relationships or derived values changed.
    ///
    /// It includes objects that lost a reference by a delete rule. A change of a relationship is one of both
    /// its ends, if the saving context knew them.
    public var updatedObjectIDs: [ObjectID<ManagedObject>]
    /// The objects with deleted rows, including unloaded ones that a cascade reached.
    public var deletedObjectIDs: [ObjectID<ManagedObject>]

    /// Creates a notice of ids, for example those of a batch deletion.
    public init(
        inserted: [ObjectID<ManagedObject>] = [], updated: [ObjectID<ManagedObject>] = [],
        deleted: [ObjectID<ManagedObject>] = []
    ) {
        insertedObjectIDs = inserted
        updatedObjectIDs = updated
        deletedObjectIDs = deleted
    }

    /// A Boolean value that indicates whether the notice has no ids.
    public var isEmpty: Bool { count == 0 }

    /// The number of ids.
    var count: Int { insertedObjectIDs.count + updatedObjectIDs.count + deletedObjectIDs.count }
}
