public import HowdahModel

/// A struct whose members are stored together as one composite attribute, in flattened columns.
///
/// An optional composite property is nil exactly when all its columns are NULL; there is no presence column.
///
/// Source: Core Data's composite attributes.
public protocol CompositeValue: AttributeValue, Hashable {
    /// The members, in the order of `init(_row:)` and `_elements`.
    static var compositeDescription: CompositeDescription { get }
    /// The key paths of the members and their names; empty where paths are given by name only.
    static var _keyPaths: [PropertyKeyPath] { get }
    /// Takes the members' columns in order.
    init(_row: inout RowReader)
    /// The composite of generic members, or nil where one does not fit.
    init?(_elements: [Value])
    /// The members' generic forms, in order.
    var _elements: [Value] { get }
}

extension CompositeValue {
    /// None.
    public static var _keyPaths: [PropertyKeyPath] { [] }
    /// Composite.
    public static var _attributeType: AttributeType { .composite(compositeDescription) }
    /// Reads the members in order.
    @inlinable public static func _read(_ row: inout RowReader) -> Self { Self(_row: &row) }
    /// A composite of as many elements; of nils, where that is what NULL in every column means.
    public static func _make(_ value: Value) -> Self? {
        switch value {
        case .composite(let elements): Self(_elements: elements)
        case .null: Self(_elements: Array(repeating: .null, count: compositeDescription.elements.count))
        default: nil
        }
    }
    /// Whether no member has a value.
    public var _isNull: Bool { _elements.allSatisfy(\.isNullThroughout) }
    /// The composite with each member as the store returns it.
    public var _stored: Self { Self(_elements: _elements.map(\.normalized.collapsed)) ?? self }
    /// The generic form.
    public var _value: Value { .composite(_elements) }
}

extension Value {
    /// Whether this is nil, or a composite of nothing else.
    var isNullThroughout: Bool {
        if case .composite(let elements) = self { elements.allSatisfy(\.isNullThroughout) } else { isNull }
    }

    /// The value with every composite that has no value in it as nil.
    package var collapsed: Value {
        guard case .composite(let elements) = self else { return self }
        return isNullThroughout ? .null : .composite(elements.map(\.collapsed))
    }
}
