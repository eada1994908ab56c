/// What can be said of a relationship in one word, in `@Relationship`.
public enum RelationshipOption: Sendable {
    /// A to-one relationship must have a destination when its object is saved; the column is NOT NULL.
    case required
    /// Lives in memory only; no row has it, and it is empty once its object is a fault again.
    case transient
}
