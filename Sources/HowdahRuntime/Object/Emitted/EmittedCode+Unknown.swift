public import HowdahModel

/// The same functions for attributes with a case for unknown values.
///
/// The stored value is kept next to the case, so that the generic value of the attribute is always the row's.
extension _Emitted {
    /// Returns the attribute type of the cases that can be stored.
    public static func type<T: AttributeEnum>(of type: T.Type, without unknown: T) -> AttributeType {
        T.RawValue._attributeType(ofCases: T.allCases.filter { $0 != unknown }.map(\.rawValue))
    }

    /// Returns the attribute type of the cases that can be stored.
    public static func type<T: AttributeEnum>(of type: T?.Type, without unknown: T) -> AttributeType {
        Self.type(of: T.self, without: unknown)
    }

    /// Returns the values that can be stored: those of all other cases.
    public static func allowedValues<T: AttributeEnum>(of type: T.Type, without unknown: T) -> [Value] {
        T._allowedValues.filter { $0 != unknown._value }
    }

    /// Returns the values that can be stored: those of all other cases.
    public static func allowedValues<T: AttributeEnum>(of type: T?.Type, without unknown: T) -> [Value] {
        allowedValues(of: T.self, without: unknown)
    }

    /// Reads a value from the next column.
    public static func read<T: AttributeEnum>(
        _ row: inout _RowReader, unknown: T, stored: inout Value?
    ) -> T {
        stored = nil
        if row.skipIfNull(1) { return T._zero }
        guard let raw = T.RawValue._readRaw(&row) else {
            row.noteUnknownCase(of: T.self, nil)
            return unknown
        }
        if let value = T(rawValue: raw) { return value }
        stored = raw._stored._value
        return unknown
    }

    /// Reads a value from the next column.
    public static func read<T: AttributeEnum>(
        _ row: inout _RowReader, unknown: T, stored: inout Value?
    ) -> T? {
        stored = nil
        if row.skipIfNull(1) { return nil }
        return .some(read(&row, unknown: unknown, stored: &stored))
    }

    /// Returns the row's value.
    public static func value<T: AttributeEnum>(_ value: T, unknown: T, stored: Value?) -> Value {
        value == unknown ? stored ?? value._value : value._value
    }

    /// Returns the row's value.
    public static func value<T: AttributeEnum>(_ value: T?, unknown: T, stored: Value?) -> Value {
        value.map { Self.value($0, unknown: unknown, stored: stored) } ?? .null
    }

    /// Assigns a generic value to a field; false if it does not fit.
    public static func assign<T: AttributeEnum>(
        _ value: Value, to field: inout T, unknown: T, stored: inout Value?
    ) -> Bool {
        guard let raw = T.RawValue._make(value) else { return false }
        let known = T(rawValue: raw)
        field = known ?? unknown
        stored = known == nil ? raw._stored._value : nil
        return true
    }

    /// Assigns a generic value to a field; false if it does not fit.
    public static func assign<T: AttributeEnum>(
        _ value: Value, to field: inout T?, unknown: T, stored: inout Value?
    ) -> Bool {
        if value.isNull {
            (field, stored) = (nil, nil)
            return true
        }
        var known = unknown
        guard assign(value, to: &known, unknown: unknown, stored: &stored) else { return false }
        field = known
        return true
    }

    /// Returns the row's value for a field that was set to the case: the value before the first change.
    public static func stored<T: AttributeEnum>(_ value: T?, unknown: T, original: Value?) -> Value? {
        guard value == unknown, let original, let raw = T.RawValue._make(original), T(rawValue: raw) == nil
        else { return nil }
        return original
    }
}

extension ManagedObject {
    /// Returns an attribute's value before its first change since the last save; nil if it has not changed,
    /// or was never saved.
    public final func _original(at slot: Int) -> Value? {
        for kept in changes?.originals ?? [] where kept.slot == slot {
            if case .value(let value) = kept.original { return value }
        }
        return nil
    }
}
