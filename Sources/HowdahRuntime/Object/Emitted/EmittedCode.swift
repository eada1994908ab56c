public import HowdahModel

/// What the code that `@Entity` and `@Composite` emit calls for each attribute; not meant to be called by hand.
///
/// Each function takes any type, so that the compiler says what is wrong with a type that cannot be an attribute's
/// in one place, the setter, and in words.
public enum _Emitted {
    /// The attribute type of a Swift type.
    public static func type<T: AttributeValue>(of type: T.Type) -> AttributeType { T._attributeType }

    /// The only values there are of a Swift type; empty where it has no such list.
    public static func allowedValues<T: AttributeValue>(of type: T.Type) -> [Value] { T._allowedValues }

    /// The default that an initial value like `.draft` is: that of an enum's case; nil for what may differ from one
    /// evaluation to the next.
    public static func constant<T: AttributeValue>(_ value: @autoclosure () -> T) -> Value? {
        T._allowedValues.isEmpty ? nil : value()._value
    }

    /// How many columns a value takes.
    @inlinable @inline(__always)
    public static func columnCount<T: AttributeValue>(of type: T.Type) -> Int { T._columnCount }

    /// What a field holds at first.
    @inlinable @inline(__always)
    public static func zero<T: AttributeValue>() -> T { T._zero }

    /// A value from the next columns.
    @inlinable @inline(__always)
    public static func read<T: AttributeValue>(_ row: inout RowReader) -> T { row.read() }

    /// The generic form.
    @inlinable @inline(__always)
    public static func value<T: AttributeValue>(_ value: T) -> Value { value._value }

    /// The generic form of a composite's element.
    @inlinable @inline(__always)
    public static func element<T: AttributeValue>(_ value: T) -> Value { value._value }

    /// The value of a generic one, or nil where it does not fit.
    @inlinable @inline(__always)
    public static func make<T: AttributeValue>(_ value: Value, _ type: T.Type) -> T? { T._make(value) }

    /// Puts a generic value into a field; false where it does not fit.
    @inlinable @inline(__always)
    public static func assign<T: AttributeValue>(_ value: Value, to field: inout T) -> Bool {
        guard let typed = T._make(value) else { return false }
        field = typed
        return true
    }

    /// The value as the store returns it.
    @inlinable @inline(__always)
    public static func stored<T: AttributeValue>(_ value: T) -> T { value._stored }

    /// Accepts the superclass of an entity's class.
    public static func superclass<T: ManagedObject>(_ type: T.Type) {}

    /// Annotations with those that the type asks for.
    public static func userInfo<T: AttributeValue>(_ info: [String: String], of type: T.Type) -> [String:
        String]
    {
        info.merging(T._userInfo) { given, _ in given }
    }

    /// Annotations with one more.
    public static func userInfo(_ info: [String: String], _ key: String, _ value: String) -> [String: String]
    {
        info.merging([key: value]) { $1 }
    }

    /// The indexes of marked attributes, and others that an entity is given.
    public static func indexes(
        _ marked: [String], _ others: [FetchIndexDescription]
    ) -> [FetchIndexDescription] {
        FetchIndexDescription.indexes(on: marked.map { [$0] }, besides: others)
    }
}
