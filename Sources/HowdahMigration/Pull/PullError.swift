/// Why a database could not be read into a model, and what to do about it.
package struct PullError: Error, Sendable, CustomStringConvertible {
    /// What went wrong and the remedy.
    package let description: String

    init(_ description: String) { self.description = description }
}
