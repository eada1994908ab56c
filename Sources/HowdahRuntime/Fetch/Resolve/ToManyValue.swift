/// What a to-many relationship property of a managed object class holds, ordered or not.
public protocol ToManyValue: RelationshipValue {
    /// The class of the members.
    associatedtype Member: ManagedObject
}

extension ToMany: ToManyValue {}

extension OrderedToMany: ToManyValue {}
