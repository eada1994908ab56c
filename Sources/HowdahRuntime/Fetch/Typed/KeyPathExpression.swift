import HowdahModel

/// The value at the end of a key path, for typed comparisons that `#Predicate` does not have.
///
/// ```swift
/// let person = KeyPathExpression(Employee.self)
/// request.predicate = .and([
///     person.lastName.isEqual(to: "muller", options: [.caseInsensitive, .diacriticInsensitive]),
///     person.department.name.matches("R.*"),
///     person.projects.budget.sum > 1_000,
///     person.isIn(ids),
/// ])
/// ```
/// Key paths continue with dots, over optionals and to-manys, for any number of steps. The comparisons are
/// those of format strings and make the same trees. If a property has the name of a member of this type,
/// write `person[dynamicMember: \.count]`. If a key path has no name in the model, the fetch refuses the
/// tree.
///
/// Source: Core Data's `NSExpression` and `NSComparisonPredicate`.
@dynamicMemberLookup
public struct KeyPathExpression<Object: ManagedObject, Value> {
    let path: TypedPath
    /// The left side of a comparison.
    let operand: PredicateTree.Expression
    let modifier: PredicateTree.Modifier

    init(
        _ path: TypedPath, _ operand: PredicateTree.Expression? = nil,
        _ modifier: PredicateTree.Modifier = .direct
    ) {
        self.path = path
        self.operand = operand ?? path.operand
        self.modifier = modifier
    }

    /// A property or, through an optional, a property of its value.
    public subscript<Next>(dynamicMember step: KeyPath<Value, Next>) -> KeyPathExpression<Object, Next> {
        KeyPathExpression<Object, Next>(path.following(step), nil, modifier)
    }

    /// A property that may be nil; the following steps are nil then, too.
    public subscript<Next>(dynamicMember step: KeyPath<Value, Next?>) -> KeyPathExpression<Object, Next> {
        KeyPathExpression<Object, Next>(path.following(step), nil, modifier)
    }

    /// The members of a to-many relationship.
    public subscript<Member>(
        dynamicMember step: KeyPath<Value, ToMany<Member>>
    ) -> MembersExpression<Object, Member> { MembersExpression(path.followingToMany(step)) }

    /// The members of an ordered to-many relationship.
    public subscript<Member>(
        dynamicMember step: KeyPath<Value, OrderedToMany<Member>>
    ) -> MembersExpression<Object, Member> { MembersExpression(path.followingToMany(step)) }

    func compared(
        _ op: PredicateTree.Operator, _ right: PredicateTree.Expression, _ options: PredicateTree.Options = []
    ) -> PredicateTree {
        if let error = path.error { return PredicateTree(failing: error) }
        if case .collection(let members) = right, members.count > PredicateTree.Limit.members {
            return PredicateTree(
                failing: PredicateTreeError(
                    .tooLarge,
                    "A collection in the predicate has more than \(PredicateTree.Limit.members) members. Split the "
                        + "collection, and fetch once for each part."
                ))
        }
        return PredicateTree(
            .comparison(lhs: operand, op: op, rhs: right, options: options, modifier: modifier))
    }
}

extension KeyPathExpression where Value == Object {
    /// Creates the objects themselves, at which key paths begin.
    public init(_ type: Object.Type) { self.init(TypedPath()) }
}
