public import Foundation

/// The identity of a managed object, typed by its class.
///
/// You can pass it to other contexts, tasks and processes, which the object itself cannot reach. An id is
/// temporary until its object was first saved. A permanent id survives restarts as its ``uriRepresentation``.
/// Two ids are equal if store, entity and key are equal, with any `Object`.
///
/// Source: Core Data's `NSManagedObjectID`.
public struct ObjectID<Object>: Hashable, Sendable {
    /// The UUID of the object's store.
    public let storeIdentifier: UUID
    /// The stored name of the object's entity: its renaming identifier, or its name if none is set.
    public let entityName: String
    /// The `_id` of the row; negative while temporary.
    package let key: Int64

    package init(storeIdentifier: UUID, entityName: String, key: Int64) {
        self.storeIdentifier = storeIdentifier
        self.entityName = entityName
        self.key = key
    }

    /// A Boolean value that indicates whether the object was never saved, so that the id is valid only in its
    /// context.
    public var isTemporaryID: Bool { key < 0 }

    /// Returns the same id, typed by another class.
    ///
    /// Nothing is checked here. If the entity does not have the class, the use of the id fails.
    public func typed<Other>(as type: Other.Type = Other.self) -> ObjectID<Other> {
        ObjectID<Other>(storeIdentifier: storeIdentifier, entityName: entityName, key: key)
    }
}

/// Ids of different classes are equal if store, entity and key are equal.
extension ObjectID {
    /// Returns a Boolean value that indicates whether the ids identify one object, even if their classes
    /// differ.
    public static func == <Other>(left: ObjectID, right: ObjectID<Other>) -> Bool {
        left.key == right.key && left.entityName == right.entityName
            && left.storeIdentifier == right.storeIdentifier
    }

    /// Returns the opposite of `==`.
    public static func != <Other>(left: ObjectID, right: ObjectID<Other>) -> Bool { !(left == right) }
}

/// Returns a Boolean value that indicates whether two optional ids identify one object; nil equals nil.
public func == <Object, Other>(left: ObjectID<Object>?, right: ObjectID<Other>?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return left == right
}

/// Returns the opposite of `==`.
public func != <Object, Other>(left: ObjectID<Object>?, right: ObjectID<Other>?) -> Bool { !(left == right) }
