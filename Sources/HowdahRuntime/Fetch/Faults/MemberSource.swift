package import HowdahModel

/// The members that an operand refers to, before they have a FROM clause.
package indirect enum MemberSource {
    /// The members of a to-many relationship, and the rest of the path from each.
    case relationship(
        RelationshipLayout, of: SQLScope, rest: ArraySlice<String>, isNullable: Bool)
    /// The members that satisfy a condition, in which the variable is the member and the scope the object
    /// around it.
    case subquery(MemberSource, variable: String, PredicateTree.Node, in: SQLScope)
    /// The values at the end of a key path from each object.
    case following(MemberSource, [String])
    /// The elements of an array.
    case elements(ResolvedColumn)
    /// A literal list.
    case list([ResolvedOperand])
    case set(PredicateTree.SetOperator, MemberSource, MemberSource, in: SQLScope)
    /// Each value once.
    case distinct(MemberSource)

    /// The expression that must not be NULL so that there is a collection, even an empty one.
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
    /// The description for messages.
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
