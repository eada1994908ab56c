/// A path that is no relationship, or one that leads elsewhere, is refused by the last of these.
extension _Emitted {
    /// Accepts the inverse that is a to-one relationship to the class.
    public static func inverse<Destination: ManagedObject, Owner: ManagedObject>(
        _ path: KeyPath<Destination, Owner?>, leadsTo owner: Owner.Type
    ) {}

    /// Accepts the inverse that is a to-many relationship to the class.
    public static func inverse<Destination: ManagedObject, Owner: ManagedObject>(
        _ path: KeyPath<Destination, ToMany<Owner>>, leadsTo owner: Owner.Type
    ) {}

    /// Accepts the inverse that is an ordered relationship to the class.
    public static func inverse<Destination: ManagedObject, Owner: ManagedObject>(
        _ path: KeyPath<Destination, OrderedToMany<Owner>>, leadsTo owner: Owner.Type
    ) {}

    /// Refuses any other.
    @available(
        *, unavailable,
        message:
            "this inverse does not lead back here; name the relationship of the destination whose type is this class"
    )
    @_disfavoredOverload
    public static func inverse<Destination, Other, Owner: ManagedObject>(
        _ path: KeyPath<Destination, Other>, leadsTo owner: Owner.Type
    ) {}
}
