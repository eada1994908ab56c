/// What a relationship property of a managed object class holds: the only properties that can be prefetched.
public protocol RelationshipValue {}

extension Optional: RelationshipValue where Wrapped: ManagedObject {}

extension ToMany: RelationshipValue {}

extension OrderedToMany: RelationshipValue {}

/// What a to-many relationship property of a managed object class holds, ordered or not.
public protocol ToManyValue: RelationshipValue {
    /// The class of the members.
    associatedtype Member: ManagedObject
}

extension ToMany: ToManyValue {}

extension OrderedToMany: ToManyValue {}
