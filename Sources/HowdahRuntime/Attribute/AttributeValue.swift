public import HowdahModel

/// A Swift type that can be the type of an attribute in a managed object class.
///
/// The library conforms the scalar types (`Int`, `String`, `Date` …), their optionals and, through
/// ``CompositeValue``, your composites. The underscored members are called by the accessors of managed
/// object classes and are not meant to be called by hand.
public protocol AttributeValue: Sendable {
    /// The attribute type this Swift type stands for.
    static var _attributeType: AttributeType { get }
    /// How many columns one value takes.
    static var _columnCount: Int { get }
    /// What a property holds until it was set, and what a fault that cannot be filled reads as.
    static var _zero: Self { get }
    /// Takes the next columns of the row; NULL reads as ``_zero``.
    static func _read(_ row: inout RowReader) -> Self
    /// The Swift value of a generic one, or nil where the types do not fit.
    static func _make(_ value: Value) -> Self?
    /// The generic form of this value.
    var _value: Value { get }
    /// Whether every column of this value is NULL, so that an optional of it reads back as nil.
    var _isNull: Bool { get }
    /// This value as the store will return it: NFC for strings, whole microseconds for dates, absolute URLs, nil
    /// for an optional composite without a single value.
    var _stored: Self { get }
    /// The only values there are; empty for types without such a list.
    static var _allowedValues: [Value] { get }
    /// Annotations that steer how an attribute of this type is stored.
    static var _userInfo: [String: String] { get }
}

extension AttributeValue {
    /// One column, unless the type says otherwise.
    @inlinable public static var _columnCount: Int { 1 }
    /// Most types are stored in one column that is not NULL.
    @inlinable public var _isNull: Bool { false }
    /// Most types are stored as they are.
    @inlinable public var _stored: Self { self }
    /// Most types have no list of values.
    public static var _allowedValues: [Value] { [] }
    /// Most types need no annotations.
    public static var _userInfo: [String: String] { [:] }
}
