/// The type of an attribute's values.
///
/// `howdah model sql` prints the types of a model's columns.
///
/// Source: Core Data's `NSAttributeDescription.AttributeType`.
public struct AttributeType: Hashable, Sendable {
    package indirect enum Kind: Hashable, Sendable {
        case undefined, integer16, integer32, integer64, decimal, double, float, string, boolean, date
        case binary, uuid, uri, transformable
        case composite(CompositeDescription)
        case array(AttributeType)
    }

    package let kind: Kind

    package init(_ kind: Kind) { self.kind = kind }

    /// No stored value; the attribute exists in memory only.
    public static let undefined = AttributeType(.undefined)
    /// An integer from -32,768 to 32,767.
    public static let integer16 = AttributeType(.integer16)
    /// An integer of 32 bits.
    public static let integer32 = AttributeType(.integer32)
    /// An integer of 64 bits.
    public static let integer64 = AttributeType(.integer64)
    /// A `Decimal`, exact to 38 digits.
    public static let decimal = AttributeType(.decimal)
    /// A `Double`.
    public static let double = AttributeType(.double)
    /// A `Float`.
    public static let float = AttributeType(.float)
    /// A `String`.
    public static let string = AttributeType(.string)
    /// A `Bool`.
    public static let boolean = AttributeType(.boolean)
    /// A `Date`, in whole microseconds.
    public static let date = AttributeType(.date)
    /// A `Data`.
    public static let binary = AttributeType(.binary)
    /// A `UUID`.
    public static let uuid = AttributeType(.uuid)
    /// A `URL`.
    public static let uri = AttributeType(.uri)
    /// A value of any type, stored through a value transformer.
    public static let transformable = AttributeType(.transformable)

    /// Returns the type of a value with named elements, each stored in a separate column.
    public static func composite(_ description: CompositeDescription) -> Self {
        Self(.composite(description))
    }

    /// Returns the type of an array of values of a simple type, in an array column of the element type.
    ///
    /// Elements are never nil, and arrays are not nested. Every type can be the element's, except undefined,
    /// transformable, composite and array types.
    public static func array(of element: AttributeType) -> Self { Self(.array(element)) }

    /// The elements' type if this is an array type.
    public var element: AttributeType? {
        if case .array(let element) = kind { element } else { nil }
    }

    /// The elements' description if this is a composite type.
    public var composite: CompositeDescription? {
        if case .composite(let description) = kind { description } else { nil }
    }

    package var isStored: Bool {
        switch kind {
        case .undefined: false
        case .composite(let composite): composite.elements.contains(where: \.isStored)
        default: true
        }
    }
}
