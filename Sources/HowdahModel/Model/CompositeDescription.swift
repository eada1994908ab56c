/// A named group of elements that an attribute holds as one value.
///
/// An element is an attribute, which may itself be of a composite type, but never a relationship. The name is
/// for people and class generation. The stored columns are named after the attribute and the elements.
///
/// Source: Core Data's `NSCompositeAttributeDescription`.
public struct CompositeDescription: Hashable, Sendable, Codable {
    /// The name of the composite type.
    public var name: String
    /// The elements in order; a composite ``Value`` lists its elements in the same order.
    public var elements: [AttributeDescription]

    /// Creates a composite of `elements`.
    public init(_ name: String, _ elements: [AttributeDescription]) {
        self.name = name
        self.elements = elements
    }
}
