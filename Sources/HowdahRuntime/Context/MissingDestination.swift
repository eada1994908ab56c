/// An owner that a save leaves, or stores, without the destination of a required to-one.
///
/// An import saves in parts, and looks for the destination after the last one.
package struct MissingDestination {
    package let owner: ManagedObject
    package let slot: Int
    /// The fault and the remedy.
    package let message: String
}
