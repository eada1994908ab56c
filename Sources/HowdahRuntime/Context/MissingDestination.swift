/// An owner that a save leaves, or stores, without the destination of a required to-one.
///
/// An import saves in parts, and looks for the destination after the last one.
struct MissingDestination {
    let owner: ManagedObject
    let slot: Int
    /// What is wrong and what to do about it.
    let message: String
}
