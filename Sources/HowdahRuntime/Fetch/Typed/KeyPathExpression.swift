import HowdahModel

/// What lies at the end of a key path, to be compared: the typed way to say what `#Predicate` cannot.
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
/// Key paths go on by dots, over optionals and to-manys, any number of steps; the comparisons are format strings' and give
/// the same trees. Where a property is called like a member of this type, write `person[dynamicMember: \.count]`. A key
/// path without a name in the model gives a tree that the fetch refuses.
///
/// Source: Core Data's `NSExpression` and `NSComparisonPredicate`.
@dynamicMemberLookup
public struct KeyPathExpression<Object: ManagedObject, Value> {
    let path: TypedPath
    /// What stands on the left of a comparison.
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

    /// A property or, through an optional, what it holds.
    public subscript<Next>(dynamicMember step: KeyPath<Value, Next>) -> KeyPathExpression<Object, Next> {
        KeyPathExpression<Object, Next>(path.following(step), nil, modifier)
    }

    /// A property that may be nil; so is what follows it then.
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
    /// The objects themselves, to begin key paths at.
    public init(_ type: Object.Type) { self.init(TypedPath()) }
}
