/// What can be said of an attribute in one word, in `@Attribute`.
public enum AttributeOption: Sendable {
    /// No two objects of the entity have the same value.
    case unique
    /// Fetches by the value, or in its order, find an index.
    case indexed
    /// Predicates, sorting and uniqueness take "Ada" and "ADA" for one String; the value stays as it is set.
    case caseInsensitive
    /// The value lives in memory only and has no column.
    case transient
    /// Large values may be kept outside the row.
    case externalStorage
}
