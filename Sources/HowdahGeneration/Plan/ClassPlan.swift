internal import HowdahModel

/// The class of one entity.
struct ClassPlan {
    let entity: EntityDescription
    /// The identifier in code, without backticks.
    let name: String
    /// The class of the superentity; nil where that is the library's.
    let superclass: String?
    /// Whether no other entity's class inherits from it.
    let isFinal: Bool
    /// The properties of the entity itself, without inherited ones.
    let members: [MemberPlan]
    /// The fetched properties of the entity itself.
    let fetched: [FetchedPlan]

    var firstSlot: Int
    var endSlot: Int { firstSlot + members.count }
}
