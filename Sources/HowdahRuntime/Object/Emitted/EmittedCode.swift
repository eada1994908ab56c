public import HowdahModel

/// The functions that the code of `@Entity` and `@Composite` calls for each attribute. Do not call them
/// yourself.
///
/// Each function takes any type. So the compiler reports a type that cannot be an attribute's in one place,
/// the setter, and in words.
public enum _Emitted {
    /// Returns the attribute type of a Swift type.
    public static func type<T: AttributeValue>(of type: T.Type) -> AttributeType { T._attributeType }

    /// Returns the only values of a Swift type; empty if it has no such list.
    public static func allowedValues<T: AttributeValue>(of type: T.Type) -> [Value] { T._allowedValues }

    /// Returns the default of an initial value like `.draft`, an enum's case; nil if the value may differ
    /// each time.
    public static func constant<T: AttributeValue>(_ value: @autoclosure () -> T) -> Value? {
        T._allowedValues.isEmpty ? nil : value()._value
    }

    /// Returns the number of columns of a value.
    @inlinable @inline(__always)
    public static func columnCount<T: AttributeValue>(of type: T.Type) -> Int { T._columnCount }

    /// Returns the initial value of a field.
    @inlinable @inline(__always)
    public static func zero<T: AttributeValue>() -> T { T._zero }

    /// Reads a value from the next columns.
    @inlinable @inline(__always)
    public static func read<T: AttributeValue>(_ row: inout _RowReader) -> T { row.read() }

    /// Returns the generic form.
    @inlinable @inline(__always)
    public static func value<T: AttributeValue>(_ value: T) -> Value { value._value }

    /// Returns the generic form of a composite's element.
    @inlinable @inline(__always)
    public static func element<T: AttributeValue>(_ value: T) -> Value { value._value }

    /// Returns the value of a generic one, or nil if it does not fit.
    @inlinable @inline(__always)
    public static func make<T: AttributeValue>(_ value: Value, _ type: T.Type) -> T? { T._make(value) }

    /// Assigns a generic value to a field; false if it does not fit.
    @inlinable @inline(__always)
    public static func assign<T: AttributeValue>(_ value: Value, to field: inout T) -> Bool {
        guard let typed = T._make(value) else { return false }
        field = typed
        return true
    }

    /// Returns the value in the form in which the store returns it.
    @inlinable @inline(__always)
    public static func stored<T: AttributeValue>(_ value: T) -> T { value._stored }

    /// Accepts the superclass of an entity's class.
    public static func superclass<T: ManagedObject>(_ type: T.Type) {}

    /// Returns annotations with those that the type needs.
    public static func userInfo<T: AttributeValue>(_ info: [String: String], of type: T.Type) -> [String:
        String]
    {
        info.merging(T._userInfo) { given, _ in given }
    }

    /// Returns annotations with one more.
    public static func userInfo(_ info: [String: String], _ key: String, _ value: String) -> [String: String]
    {
        info.merging([key: value]) { $1 }
    }

    /// Returns the indexes of marked attributes, and the other indexes of an entity.
    public static func indexes(
        _ marked: [String], _ others: [FetchIndexDescription]
    ) -> [FetchIndexDescription] {
        FetchIndexDescription.indexes(on: marked.map { [$0] }, besides: others)
    }
}
