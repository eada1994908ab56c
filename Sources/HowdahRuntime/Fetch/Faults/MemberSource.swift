package import HowdahModel

/// The members that an operand leads to, before they have a FROM clause.
package indirect enum MemberSource {
    /// Of a to-many relationship, and what is meant of each of them.
    case relationship(
        RelationshipLayout, of: SQLScope, rest: ArraySlice<String>, isNullable: Bool)
    /// Those that satisfy a condition, which sees the member as the variable and the object around it in the scope.
    case subquery(MemberSource, variable: String, PredicateTree.Node, in: SQLScope)
    /// What lies at the end of a key path from each object.
    case following(MemberSource, [String])
    /// Of an array.
    case elements(ResolvedColumn)
    /// Written out.
    case list([ResolvedOperand])
    case set(PredicateTree.SetOperator, MemberSource, MemberSource, in: SQLScope)
    /// Each value once.
    case distinct(MemberSource)

    /// What must not be NULL for there to be a collection at all, even an empty one.
    var presence: String? {
        switch self {
        case .relationship(_, let owner, _, let isNullable): isNullable ? owner.key : nil
        case .elements(let column): column.isNullable ? column.sql : nil
        case .distinct(let inner): inner.presence
        case .subquery, .following, .list, .set: nil
        }
    }
}

extension MemberSource: CustomStringConvertible {
    /// For messages.
    package var description: String {
        switch self {
        case .relationship(let relationship, let owner, let rest, _):
            ([owner.layout.name, relationship.name] + rest).joined(separator: ".")
        case .subquery(let members, _, _, _): "SUBQUERY(\(members), …)"
        case .following(let members, let keys): "\(members).\(keys.joined(separator: "."))"
        case .elements(let column): column.name
        case .list: "A collection"
        case .set(let op, let a, let b, _): "\(a) \(op.rawValue) \(b)"
        case .distinct(let inner): inner.description
        }
    }
}
