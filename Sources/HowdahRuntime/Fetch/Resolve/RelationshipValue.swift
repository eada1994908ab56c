/// What a relationship property of a managed object class holds: the only properties that can be prefetched.
public protocol RelationshipValue {}

extension Optional: RelationshipValue where Wrapped: ManagedObject {}

extension ToMany: RelationshipValue {}

extension OrderedToMany: RelationshipValue {}
