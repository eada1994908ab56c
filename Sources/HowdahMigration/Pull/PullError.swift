/// Why a database could not be read into a model, and what to do about it.
public struct PullError: Error, Sendable, CustomStringConvertible {
    /// What went wrong and the remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}
