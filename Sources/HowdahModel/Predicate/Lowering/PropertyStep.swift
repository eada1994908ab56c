/// The meaning of one key path of a `#Predicate` in the model.
package enum PropertyStep: Hashable, Sendable {
    /// A property of an entity, or a member of a composite, by its name.
    case property(String)
    /// The id of the object at the beginning of the path.
    case objectID
    /// The number of members of the to-many relationship at the beginning of the path.
    case count
    /// A Boolean value that indicates whether that relationship has no members.
    case isEmpty
}
