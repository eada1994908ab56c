import HowdahModel

/// A relationship that was to lead to an object whose row is gone.
struct LostDestination {
    /// The end that is there.
    let object: ManagedObject
    let slot: Int
    /// What it cannot lead to.
    let destination: ManagedObject

    /// What is said of it to people.
    ///
    /// - Parameter reason: why it is gone, to follow the destination's id.
    func issue(_ reason: String) -> ValidationIssue {
        let relationship = object.layout.relationship(slot)
        let remedy =
            relationship.isToMany
            ? "take it out" : relationship.isOptional ? "set another one, or nil" : "set another one"
        return ValidationIssue(
            object, relationship.name, ValidationIssue.generic,
            "leads to \(destination.layout.name) \(destination.objectID.shortText), which \(reason); \(remedy), and save "
                + "again")
    }

    /// Whether the object leads there still.
    var remains: Bool {
        guard object.owner != nil, !object._flags.contains(.deleted) else { return false }
        if object.layout.relationship(slot).isToMany {
            return object._toManyState(at: slot)?.contains(destination) == true
        }
        let field = object._toOneField(at: slot)
        return field.entity >= 0 && field.key == destination.key
    }
}
