/// Something in a model that generated code cannot have as it is.
package struct GenerationWarning: Hashable, Sendable, CustomStringConvertible {
    /// The entity or the composite concerned; nil where it is the model.
    package let owner: String?
    /// The property or the element concerned, where there is one.
    package let property: String?
    /// What was done instead.
    package let message: String

    /// The message, with what it is about in front.
    package var description: String {
        let place = [owner, property].compactMap { $0 }.joined(separator: ".")
        return place.isEmpty ? message : "\(place): \(message)"
    }

    init(_ owner: String?, _ property: String? = nil, _ message: String) {
        self.owner = owner
        self.property = property
        self.message = message
    }
}
