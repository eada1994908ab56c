public import HowdahModel

/// A change of one object in the history of a store.
///
/// Source: Core Data's `NSPersistentHistoryChange`.
public struct HistoryChange: Sendable, Hashable {
    /// The object that changed. Its class is that of its entity, if the model has it.
    public let changedObjectID: ObjectID<ManagedObject>
    /// The kind of the change.
    public private(set) var changeType: HistoryChangeType
    /// The names of the changed attributes and relationships; nil if they are unknown, so that any may have
    /// changed.
    ///
    /// A changed relationship is one of both objects at its ends. Some properties may be listed that did not
    /// change.
    public private(set) var updatedProperties: Set<String>?
    /// The last values of the deleted object's attributes that the model preserves, by their names; nil for
    /// other changes, or if the values were erased.
    ///
    /// See `AttributeDescription.preservesValueInHistoryOnDeletion`.
    public private(set) var tombstone: [String: Value]?

    init(
        _ id: ObjectID<ManagedObject>, _ type: HistoryChangeType, properties: Set<String>?,
        tombstone: [String: Value]? = nil
    ) {
        changedObjectID = id
        changeType = type
        updatedProperties = properties
        self.tombstone = tombstone
    }

    /// Adds another change of the same object in the same transaction.
    ///
    /// A deletion or an insertion includes the updates. Of updates, the properties are united.
    mutating func unite(with other: HistoryChange) {
        if changeType == .update, other.changeType == .update {
            updatedProperties = updatedProperties.flatMap { own in other.updatedProperties.map(own.union) }
        } else if changeType == .update || other.changeType == .delete {
            changeType = other.changeType
            updatedProperties = other.updatedProperties
            tombstone = tombstone ?? other.tombstone
        }
    }
}

/// The kind of a change of an object in the history of a store.
///
/// Source: Core Data's `NSPersistentHistoryChangeType`.
public enum HistoryChangeType: Int16, Sendable, Hashable, CaseIterable {
    /// The object was inserted.
    case insert = 0
    /// The object, or a relationship of which it is an end, changed.
    case update = 1
    /// The object was deleted.
    case delete = 2
}
