/// What one key path of a `#Predicate` stands for in the model.
package enum PropertyStep: Hashable, Sendable {
    /// A property of an entity, or a member of a composite, by its name.
    case property(String)
    /// The id of the object that the path begins at.
    case objectID
    /// The number of members of the to-many relationship that the path begins at.
    case count
    /// Whether that relationship has no members.
    case isEmpty
}
