public import HowdahModel

/// A Swift type that can be the type of an attribute in a managed object class.
///
/// The library conforms the scalar types (`Int`, `String`, `Date` …), their optionals and, through
/// ``CompositeValue``, your composites. The accessors of managed object classes call the underscored members;
/// do not call them yourself.
public protocol AttributeValue: Sendable {
    /// The attribute type of this Swift type.
    static var _attributeType: AttributeType { get }
    /// The number of columns of one value.
    static var _columnCount: Int { get }
    /// The value of a property before you set it, and of a fault that cannot be filled.
    static var _zero: Self { get }
    /// Reads the next columns of the row; NULL reads as ``_zero``.
    static func _read(_ row: inout _RowReader) -> Self
    /// Returns the Swift value of a generic one, or nil if the types do not fit.
    static func _make(_ value: Value) -> Self?
    /// The generic form of this value.
    var _value: Value { get }
    /// A Boolean value that indicates whether every column of this value is NULL, so that an optional of it
    /// reads as nil.
    var _isNull: Bool { get }
    /// This value in the form in which the store returns it.
    ///
    /// Strings are in NFC, dates in whole microseconds, and URLs absolute. An optional composite without
    /// values is nil.
    var _stored: Self { get }
    /// The only valid values; empty for types without such a list.
    static var _allowedValues: [Value] { get }
    /// Annotations that control the storage of an attribute of this type.
    static var _userInfo: [String: String] { get }
}

extension AttributeValue {
    /// The number of columns: one by default.
    @inlinable public static var _columnCount: Int { 1 }
    /// A Boolean value that is false by default: most types have one column that is not NULL.
    @inlinable public var _isNull: Bool { false }
    /// The value itself, as most types are stored unchanged.
    @inlinable public var _stored: Self { self }
    /// An empty list, as most types have no list of values.
    public static var _allowedValues: [Value] { [] }
    /// No annotations, as most types need none.
    public static var _userInfo: [String: String] { [:] }
}
