/// The last of these refuses a property that is not a relationship, or that has another destination.
///
/// They take it `inout` because only then must types be the same.
extension _Emitted {
    /// Accepts the inverse that is a to-one relationship to the class.
    public static func inverse<Owner: ManagedObject>(
        _ inverse: inout Owner?, leadsTo owner: Owner.Type
    ) {}

    /// Accepts the inverse that is a to-many relationship to the class.
    public static func inverse<Owner: ManagedObject>(
        _ inverse: inout ToMany<Owner>, leadsTo owner: Owner.Type
    ) {}

    /// Accepts the inverse that is an ordered relationship to the class.
    public static func inverse<Owner: ManagedObject>(
        _ inverse: inout OrderedToMany<Owner>, leadsTo owner: Owner.Type
    ) {}

    /// Refuses any other.
    @available(
        *, unavailable,
        message:
            "this inverse does not refer to this class. Name the destination's relationship whose type is this class"
    )
    @_disfavoredOverload
    public static func inverse<Other, Owner: ManagedObject>(
        _ inverse: inout Other, leadsTo owner: Owner.Type
    ) {}
}
