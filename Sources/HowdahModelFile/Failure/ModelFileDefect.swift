/// One place of a model file that is malformed.
public struct ModelFileDefect: Hashable, Sendable, CustomStringConvertible {
    /// The line in the file, from 1.
    public let line: Int
    /// What is wrong and what to do.
    public let message: String

    /// The line and the message.
    public var description: String { "line \(line): \(message)" }
}
