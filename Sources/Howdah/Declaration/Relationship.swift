#if Full || Server || Browser || All || Macros
/// Makes a property a relationship to other objects.
///
/// ```swift
/// @Relationship(.required, inverse: "rooms") var department: Department?
/// @Relationship(deleteRule: .cascade, inverse: "department") var rooms: ToMany<Room>
/// ```
/// A to-one relationship is Optional, even if it is ``RelationshipOption/required``, because it is nil until
/// you set it. A to-many one is a ``ToMany`` or ``OrderedToMany``. The compiler checks that the inverse
/// exists and refers back.
///
/// - Parameters:
///   - options: `.required`; `.optional` for a to-many relationship that may be empty despite `minCount`;
///     `.transient` for a relationship that lives in memory only.
///   - inverse: The name of the destination's relationship that refers back, or nil for none.
///   - deleteRule: The effect on the destinations if the owner is deleted; `.nullify` by default.
///   - minCount: The smallest number of destinations of a to-many relationship. It also applies to an empty
///     one, unless you add `.optional`.
///   - maxCount: The largest number of destinations of a to-many relationship.
///   - column: The foreign key column's name, if it is not made from the property's.
///   - renamingIdentifier: The relationship's name in an earlier version of the model.
///   - userInfo: Annotations.
@attached(peer, names: prefixed(__inverseOf))
public macro Relationship(
    _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify, inverse: StaticString? = nil,
    minCount: Int = 0, maxCount: Int? = nil, column: String? = nil, renamingIdentifier: String? = nil,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "HowdahMacros", type: "RelationshipMacro")
#endif

/// A trait of a relationship that is one word in `@Relationship`.
public enum RelationshipOption: Sendable {
    /// A to-one relationship must have a destination when you save its object; the column is NOT NULL.
    case required
    /// A to-many relationship with `minCount` may be empty when you save its object.
    case optional
    /// The relationship lives in memory only. No row has it, and it is empty once its object is a fault
    /// again.
    case transient
}
