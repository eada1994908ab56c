public import HowdahModel

/// A struct whose members are stored together as one composite attribute, in one column per member.
///
/// An optional composite property is nil exactly if all its columns are NULL. It has no presence column.
///
/// Source: Core Data's composite attributes.
public protocol CompositeValue: AttributeValue, Hashable {
    /// The members, in the order of `init(_row:)` and `_elements`.
    static var compositeDescription: CompositeDescription { get }
    /// The key paths of the members and their names; empty if paths are given only by name.
    static var _keyPaths: [_PropertyKeyPath] { get }
    /// Reads the members' columns in order.
    init(_row: inout _RowReader)
    /// Creates the composite of generic members; nil if one does not fit.
    init?(_elements: [Value])
    /// The members' generic forms, in order.
    var _elements: [Value] { get }
}

extension CompositeValue {
    /// An empty list.
    public static var _keyPaths: [_PropertyKeyPath] { [] }
    /// The attribute type, Composite.
    public static var _attributeType: AttributeType { .composite(compositeDescription) }
    /// Reads the members in order.
    @inlinable public static func _read(_ row: inout _RowReader) -> Self { Self(_row: &row) }
    /// Returns a composite with as many elements; for NULL in every column, one of nils if possible.
    public static func _make(_ value: Value) -> Self? {
        switch value {
        case .composite(let elements): Self(_elements: elements)
        case .null: Self(_elements: Array(repeating: .null, count: compositeDescription.elements.count))
        default: nil
        }
    }
    /// A Boolean value that indicates whether no member has a value.
    public var _isNull: Bool { _elements.allSatisfy(\.isNullThroughout) }
    /// The composite with each member in the form in which the store returns it.
    public var _stored: Self { Self(_elements: _elements.map(\.normalized.collapsed)) ?? self }
    /// The generic form.
    public var _value: Value { .composite(_elements) }
}

extension Value {
    /// A Boolean value that indicates whether this is nil, or a composite with only nil elements.
    var isNullThroughout: Bool {
        if case .composite(let elements) = self { elements.allSatisfy(\.isNullThroughout) } else { isNull }
    }

    /// The value with each composite without values replaced by nil.
    package var collapsed: Value {
        guard case .composite(let elements) = self else { return self }
        return isNullThroughout ? .null : .composite(elements.map(\.collapsed))
    }
}
