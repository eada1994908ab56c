public import HowdahModel

/// A struct whose members are stored together as one composite attribute, in flattened columns.
///
/// An optional composite property is nil exactly when all its columns are NULL; there is no presence column.
///
/// Source: Core Data's composite attributes.
public protocol CompositeValue: AttributeValue, Hashable {
    /// The members, in the order of ``init(_row:)`` and ``_elements``.
    static var compositeDescription: CompositeDescription { get }
    /// Takes the members' columns in order.
    init(_row: inout RowReader)
    /// The composite of generic members, or nil where one does not fit.
    init?(_elements: [Value])
    /// The members' generic forms, in order.
    var _elements: [Value] { get }
}

extension CompositeValue {
    /// Composite.
    public static var _attributeType: AttributeType { .composite(compositeDescription) }
    /// Reads the members in order.
    @inlinable public static func _read(_ row: inout RowReader) -> Self { Self(_row: &row) }
    /// A composite of as many elements.
    public static func _make(_ value: Value) -> Self? {
        if case .composite(let elements) = value { Self(_elements: elements) } else { nil }
    }
    /// The generic form.
    public var _value: Value { .composite(_elements) }
}
