public import HowdahModel

/// The members of a to-many relationship, or a value of each; see ``KeyPathExpression``.
///
/// `department.employees.salary.any > 100` is true if it is true of one member. Use `.all` for each, `.none`
/// for not one.
@dynamicMemberLookup
public struct MembersExpression<Object: ManagedObject, Value> {
    let path: TypedPath

    init(_ path: TypedPath) { self.path = path }

    /// A property of each member.
    public subscript<Next>(dynamicMember step: KeyPath<Value, Next>) -> MembersExpression<Object, Next> {
        MembersExpression<Object, Next>(path.following(step))
    }

    /// A property of each member that may be nil.
    public subscript<Next>(dynamicMember step: KeyPath<Value, Next?>) -> MembersExpression<Object, Next> {
        MembersExpression<Object, Next>(path.following(step))
    }

    /// The members' members.
    public subscript<Member>(
        dynamicMember step: KeyPath<Value, ToMany<Member>>
    ) -> MembersExpression<Object, Member> { MembersExpression<Object, Member>(path.followingToMany(step)) }

    /// The members' ordered members.
    public subscript<Member>(
        dynamicMember step: KeyPath<Value, OrderedToMany<Member>>
    ) -> MembersExpression<Object, Member> { MembersExpression<Object, Member>(path.followingToMany(step)) }

    /// A condition on it is true if it is true of at least one member; `ANY`.
    public var any: KeyPathExpression<Object, Value> { KeyPathExpression(path, nil, .any) }

    /// A condition on it is true if it is true of each member, or if there are none; `ALL`.
    public var all: KeyPathExpression<Object, Value> { KeyPathExpression(path, nil, .all) }

    /// A condition on it is true if it is not true of any member; `NONE`.
    public var none: KeyPathExpression<Object, Value> { KeyPathExpression(path, nil, .none) }

    /// The number of members; `@count`.
    public var count: KeyPathExpression<Object, Int> { aggregated(.count) }

    /// The sum of the values, 0 of none; `@sum`.
    public var sum: KeyPathExpression<Object, Value> { aggregated(.sum) }

    /// The mean of the values, nil of none; `@avg`.
    public var average: KeyPathExpression<Object, Double> { aggregated(.average) }

    /// The smallest value, nil of none; `@min`.
    public var minimum: KeyPathExpression<Object, Value> { aggregated(.min) }

    /// The greatest value, nil of none; `@max`.
    public var maximum: KeyPathExpression<Object, Value> { aggregated(.max) }

    private func aggregated<Result>(
        _ operation: PredicateTree.KeyPathOperator
    ) -> KeyPathExpression<Object, Result> {
        KeyPathExpression<Object, Result>(path, path.aggregated(operation))
    }
}

extension MembersExpression where Value: ManagedObject {
    /// Returns a condition that an object is one of the members.
    public func contains(_ id: ObjectID<Value>) -> PredicateTree { any == id }
}
