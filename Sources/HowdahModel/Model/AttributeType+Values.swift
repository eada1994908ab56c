internal import Foundation

extension AttributeType {
    /// Converts a literal of another type to this type, if possible; otherwise returns it unchanged.
    package func coerced(_ value: Value) -> Value {
        switch (kind, value) {
        case (.decimal, .int(let number)): .decimal(Decimal(number))
        case (.decimal, .double(let number)):
            // By its text: the literal 0.1 means one tenth, not the binary number next to it.
            Decimal(string: number.description).map(Value.decimal) ?? value
        case (.decimal, .string(let text)): Decimal(string: text).map(Value.decimal) ?? value
        case (.double, .int(let number)): .double(Double(number))
        case (.float, .int(let number)): .float(Float(number))
        case (.float, .double(let number)): .float(Float(number))
        case (.uuid, .string(let text)): UUID(uuidString: text).map(Value.uuid) ?? value
        case (.uri, .string(let text)): URL(string: text).map(Value.uri) ?? value
        case (.composite(let composite), .composite(let values))
        where values.count == composite.elements.count:
            .composite(zip(composite.elements, values).map { $0.type.coerced($1) })
        case (.array(let element), .array(let values)): .array(values.map(element.coerced))
        default: value
        }
    }

    /// Returns a Boolean value that indicates whether an attribute of this type can hold `value`.
    ///
    /// Optionality decides about nil.
    package func accepts(_ value: Value) -> Bool {
        switch (kind, value) {
        case (_, .null): true
        case (.integer16, .int(let number)): Int16(exactly: number) != nil
        case (.integer32, .int(let number)): Int32(exactly: number) != nil
        case (.integer64, .int), (.decimal, .decimal), (.double, .double), (.float, .float): true
        case (.string, .string(let text)): !text.utf8.contains(0)
        case (.boolean, .bool), (.binary, .data), (.transformable, .data), (.uuid, .uuid), (.uri, .uri): true
        case (.date, .date(let date)): Self.storableDates.contains(date.timeIntervalSince1970)
        case (.composite(let composite), .composite(let values)):
            values.count == composite.elements.count
                && zip(composite.elements, values).allSatisfy { $0.type.accepts($1) }
        case (.array(let element), .array(let values)):
            values.allSatisfy { !$0.isNull && element.accepts($0) }
        default: false
        }
    }

    /// The range of `timestamptz` in seconds since 1970: from 4714-11-24 BC to the end of 294276 AD.
    private static let storableDates = -210_866_803_200.0..<9_224_318_016_000.0

    /// A Boolean value that indicates whether arrays of this type can be stored.
    package var isElement: Bool {
        switch kind {
        case .undefined, .transformable, .composite, .array: false
        default: true
        }
    }

    /// A Boolean value that indicates whether values of this type can have a minimum and a maximum.
    package var isBounded: Bool {
        switch kind {
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .date: true
        default: false
        }
    }
}

extension Value {
    /// Returns true if this is after `other` and both are of one bounded type.
    package func isGreater(than other: Value) -> Bool {
        switch (self, other) {
        case (.int(let a), .int(let b)): a > b
        case (.decimal(let a), .decimal(let b)): a > b
        case (.double(let a), .double(let b)): a > b
        case (.float(let a), .float(let b)): a > b
        case (.date(let a), .date(let b)): a > b
        default: false
        }
    }
}
