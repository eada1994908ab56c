#if Full || Macros
/// Makes a property a relationship to other objects.
///
/// ```swift
/// @Relationship(.required, inverse: "rooms") var department: Department?
/// @Relationship(deleteRule: .cascade, inverse: "department") var rooms: ToMany<Room>
/// ```
/// A to-one relationship is Optional, ``RelationshipOption/required`` or not, because it is nil until it is set. A
/// to-many one is a ``ToMany`` or ``OrderedToMany``. The compiler checks that the inverse exists and leads back.
///
/// - Parameters:
///   - options: `.required`, `.optional` for a to-many relationship that may be empty despite `minCount`, or `.transient` for a
///     relationship that lives in memory only.
///   - inverse: the name of the destination's relationship that leads back, or nil for none.
///   - deleteRule: what happens to the destinations when the owner is deleted; `.nullify` unless given.
///   - minCount: the smallest number of destinations of a to-many relationship; it holds for an empty one too, unless you say `.optional`.
///   - maxCount: the largest number of destinations of a to-many relationship.
///   - column: the foreign key column's name, where it is not made of the property's.
///   - renamingIdentifier: what the relationship was called in an earlier version of the model.
///   - userInfo: annotations.
@attached(peer, names: prefixed(__inverseOf))
public macro Relationship(
    _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify, inverse: StaticString? = nil,
    minCount: Int = 0, maxCount: Int? = nil, column: String? = nil, renamingIdentifier: String? = nil,
    userInfo: [String: String] = [:]
) = #externalMacro(module: "HowdahMacros", type: "RelationshipMacro")
#endif

/// A trait of a relationship that takes one word in `@Relationship`.
public enum RelationshipOption: Sendable {
    /// A to-one relationship must have a destination when its object is saved; the column is NOT NULL.
    case required
    /// A to-many relationship with `minCount` may be empty when its object is saved.
    case optional
    /// Lives in memory only; no row has it, and it is empty once its object is a fault again.
    case transient
}
