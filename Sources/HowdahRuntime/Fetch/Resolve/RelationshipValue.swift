/// The type of a relationship property of a managed object class. Only such properties can be prefetched.
public protocol RelationshipValue {}

extension Optional: RelationshipValue where Wrapped: ManagedObject {}

extension ToMany: RelationshipValue {}

extension OrderedToMany: RelationshipValue {}

/// The type of a to-many relationship property of a managed object class, ordered or not.
public protocol ToManyValue: RelationshipValue {
    /// The class of the members.
    associatedtype Member: ManagedObject
}

extension ToMany: ToManyValue {}

extension OrderedToMany: ToManyValue {}
