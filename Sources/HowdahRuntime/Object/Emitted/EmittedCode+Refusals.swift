public import HowdahModel

/// The same functions for types that cannot be an attribute's.
///
/// One of them, the setter's, refuses the program. The others only let the compiler reach it.
extension _Emitted {
    /// Returns an undefined attribute type.
    @_disfavoredOverload
    public static func type<T>(of type: T.Type) -> AttributeType { .undefined }

    /// Returns no values.
    @_disfavoredOverload
    public static func allowedValues<T>(of type: T.Type) -> [Value] { [] }

    /// Returns only the annotations.
    @_disfavoredOverload
    public static func userInfo<T>(_ info: [String: String], of type: T.Type) -> [String: String] { info }

    /// Returns no default.
    @_disfavoredOverload
    public static func constant<T>(_ value: @autoclosure () -> T) -> Value? { nil }

    /// Returns no columns.
    @_disfavoredOverload
    public static func columnCount<T>(of type: T.Type) -> Int { 0 }

    /// Does nothing; no program that calls this compiles.
    @_disfavoredOverload
    public static func zero<T>() -> T { refused(T.self) }

    /// Does nothing; no program that calls this compiles.
    @_disfavoredOverload
    public static func read<T>(_ row: inout _RowReader) -> T { refused(T.self) }

    /// Returns no value.
    @_disfavoredOverload
    public static func value<T>(_ value: T) -> Value { .null }

    /// Returns no value.
    @_disfavoredOverload
    public static func make<T>(_ value: Value, _ type: T.Type) -> T? { nil }

    /// Assigns no value.
    @_disfavoredOverload
    public static func assign<T>(_ value: Value, to field: inout T) -> Bool { false }

    /// Refuses types that cannot be an attribute's.
    @available(
        *, unavailable,
        message: """
            this type cannot be stored. Use Bool, an integer, Double, Float, Decimal, String, Date, Data, UUID, URL \
            or an array of one of these. Or use an enum with AttributeEnum, a struct with AttributeJSON, a @Composite \
            struct, or an Optional of a type listed here
            """
    )
    @_disfavoredOverload
    public static func stored<T>(_ value: T) -> T { value }

    /// Refuses elements of types that cannot be an attribute's.
    @available(
        *, unavailable,
        message: """
            this type cannot be stored. Use Bool, an integer, Double, Float, Decimal, String, Date, Data, UUID, URL \
            or an array of one of these. Or use an enum with AttributeEnum, a struct with AttributeJSON, a @Composite \
            struct, or an Optional of a type listed here
            """
    )
    @_disfavoredOverload
    public static func element<T>(_ value: T) -> Value { .null }

    /// Refuses relationships without a mark.
    @available(
        *, unavailable, message: "this is a relationship. Mark it with @Relationship(inverse: \"…\")"
    )
    public static func stored<T: ManagedObject>(_ value: T?) -> T? { value }

    /// Refuses relationships without a mark.
    @available(
        *, unavailable,
        message: "this is a relationship. Make it Optional, and mark it with @Relationship(inverse: \"…\")"
    )
    public static func stored<T: ManagedObject>(_ value: T) -> T { value }

    /// Refuses superclasses of other kinds.
    @available(
        *, unavailable,
        message:
            "the superclass is not an entity. Inherit from ManagedObject or from another class with @Entity"
    )
    @_disfavoredOverload
    public static func superclass<T>(_ type: T.Type) {}

    /// Traps in place of a function that only gives the compiler a message.
    static func refused() -> Never {
        preconditionFailure(
            "A function that is marked unavailable was called. No program that calls it compiles. Delete the "
                + "build folder, and build the program again.")
    }

    /// A class itself, not one of its superclasses.
    public enum Of<Class: ManagedObject> {}

    private static func refused(_ type: Any.Type) -> Never {
        preconditionFailure(
            "\(type) cannot be stored. Use an attribute type such as String, Int, Date or UUID.")
    }
}

extension ManagedObject {
    /// Refuses superclasses that have no slots, because no macro gave them any.
    @available(
        *, unavailable,
        message:
            "the superclass is not declared with @Entity. Write @Entity before it, or inherit from ManagedObject"
    )
    public static func _endSlot<Class: ManagedObject>(_ type: _Emitted.Of<Class>.Type) -> Int { 0 }

    /// Refuses superclasses that have no key paths, because no macro gave them any.
    @available(
        *, unavailable,
        message:
            "the superclass is not declared with @Entity. Write @Entity before it, or inherit from ManagedObject"
    )
    public static func _keyPaths<Class: ManagedObject, Root>(
        of type: _Emitted.Of<Class>.Type, rootedAt root: Root.Type
    ) -> [_PropertyKeyPath] { [] }
}
