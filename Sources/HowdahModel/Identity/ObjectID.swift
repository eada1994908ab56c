public import Foundation

/// The identity of one managed object, typed by the class it was asked from; it crosses contexts, tasks and
/// processes, where the object itself cannot.
///
/// An id is temporary until its object was first saved. A permanent id survives restarts as
/// ``uriRepresentation``. Ids are equal when store, entity and key are equal, whatever `Object` is.
///
/// Source: Core Data's `NSManagedObjectID`.
public struct ObjectID<Object>: Hashable, Sendable {
    /// The UUID of the store the object lives in.
    public let storeIdentifier: UUID
    /// The stored name of the object's entity: its renaming identifier, or its name where none is set.
    public let entityName: String
    /// The `_id` of the row; negative while temporary.
    package let key: Int64

    package init(storeIdentifier: UUID, entityName: String, key: Int64) {
        self.storeIdentifier = storeIdentifier
        self.entityName = entityName
        self.key = key
    }

    /// Whether the object was never saved, so that the id means nothing outside its context.
    public var isTemporaryID: Bool { key < 0 }

    /// The same id, typed by another class.
    ///
    /// Nothing is checked here; using an id with a class that its entity does not have fails where it is used.
    public func typed<Other>(as type: Other.Type = Other.self) -> ObjectID<Other> {
        ObjectID<Other>(storeIdentifier: storeIdentifier, entityName: entityName, key: key)
    }
}

/// Ids of different classes compare by what they identify: two fetched the same row if store, entity and key are equal.
extension ObjectID {
    /// Indicates whether the ids identify one object, whatever classes they are typed by.
    public static func == <Other>(left: ObjectID, right: ObjectID<Other>) -> Bool {
        left.key == right.key && left.entityName == right.entityName
            && left.storeIdentifier == right.storeIdentifier
    }

    /// The opposite of `==`.
    public static func != <Other>(left: ObjectID, right: ObjectID<Other>) -> Bool { !(left == right) }
}

/// Indicates whether the ids identify one object, as for two that are not optional; nil equals nil.
public func == <Object, Other>(left: ObjectID<Object>?, right: ObjectID<Other>?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left == right
}

/// The opposite of `==`.
public func != <Object, Other>(left: ObjectID<Object>?, right: ObjectID<Other>?) -> Bool { !(left == right) }
