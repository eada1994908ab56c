/// Something in a model file that was read and has no effect, or was taken for something near it.
public struct ModelFileWarning: Hashable, Sendable, CustomStringConvertible {
    /// The entity, where there is one.
    public let entityName: String?
    /// The property, where there is one.
    public let propertyName: String?
    /// The line in the file, from 1; nil where no single line is meant.
    public let line: Int?
    /// What was found and what became of it.
    public let message: String

    /// The place and the message.
    public var description: String {
        let place = [entityName, propertyName].compactMap { $0 }.joined(separator: ".")
        let text = place.isEmpty ? message : "\(place): \(message)"
        return line.map { "line \($0): \(text)" } ?? text
    }
}
