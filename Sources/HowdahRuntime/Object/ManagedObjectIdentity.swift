public import HowdahModel

/// The members of every managed object that never collide with a property's name.
///
/// `ManagedObject` conforms, and subclasses inherit the conformance. The members are declared here and not in
/// the class, so an entity can have properties named `isFault`, `hash` or `entity`. For objects of such a
/// class the name means the property. To read the member, use the superclass, as in `(object as
/// ManagedObject).isFault`.
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
