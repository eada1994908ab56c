import HowdahModel

/// A changed relationship whose new destination is an object with a deleted row.
struct LostDestination {
    /// The end that exists.
    let object: ManagedObject
    let slot: Int
    /// The destination with the deleted row.
    let destination: ManagedObject

    /// Returns the issue that describes it.
    ///
    /// - Parameter reason: The reason of the deletion, to follow the destination's id.
    func issue(_ reason: String) -> ValidationIssue {
        let relationship = object.layout.relationship(slot)
        let remedy =
            relationship.isToMany
            ? "Remove that object from \(relationship.name)"
            : relationship.isOptional ? "Set another object or nil" : "Set another object"
        return ValidationIssue(
            object, relationship.name, ValidationIssue.generic,
            "refers to \(destination.layout.name) \(destination.objectID.shortText), which \(reason). \(remedy), and "
                + "save again.")
    }

    /// A Boolean value that indicates whether the object still refers to the destination.
    var remains: Bool {
        guard object.owner != nil, !object._flags.contains(.deleted) else { return false }
        if object.layout.relationship(slot).isToMany {
            return object._toManyState(at: slot)?.contains(destination) == true
        }
        let field = object._toOneField(at: slot)
        return field.entity >= 0 && field.key == destination.key
    }
}
