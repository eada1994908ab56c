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

    /// The version of the object's row that the context has read; fires a fault, but loads no more of a partial object.
    ///
    /// It is nil for an object that was never saved, and for an entity whose table has no column for versions. It does
    /// not change with unsaved changes. Links of an unordered to-many are rows of other tables, and do not change it; the
    /// version of a document has them, see `graphDocument(of:keyPaths:including:)`.
    public var version: ObjectVersion? {
        let object = (self as ManagedObject).resolved
        let isPartial = object.isPartial
        if !isPartial { object._willRead() }
        guard !object._flags.contains(.inserted), isPartial || !object.isFault,
            object.layout.table.version != nil
        else { return nil }
        return ObjectVersion(row: object.rowVersion)
    }

    /// The hash value of the reference.
    public var hashValue: Int { ObjectIdentifier(self).hashValue }
}
