public import HowdahModel

/// Members that every managed object has and no property collides with.
///
/// `ManagedObject` conforms and subclasses inherit the conformance. Because the members are declared here and not in the
/// class, an entity may have properties named `isFault`, `hash` or `entity`. The property is then the one that the
/// name means for objects of the class; read the member through the superclass, as in `(object as ManagedObject).isFault`.
public protocol ManagedObjectIdentity: ManagedObject {}

extension ManagedObject: ManagedObjectIdentity {}

extension ManagedObjectIdentity {
    /// The description of the object's entity in the model of its store.
    ///
    /// The type property `entity` describes the entity of a class written in Swift.
    ///
    /// Source: Core Data's `entity`.
    public var entity: EntityDescription { layout.description }

    /// The hash value of the reference.
    public var hashValue: Int { ObjectIdentifier(self).hashValue }
}
