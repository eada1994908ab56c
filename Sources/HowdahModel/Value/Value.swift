public import Foundation

/// One attribute value of any attribute type, for generic access, predicates and saves.
///
/// Typed managed objects do not store such values: they keep plain Swift fields. They convert only for code
/// that does not know the type: dynamic objects, change tracking, predicates.
public enum Value: Hashable, Sendable {
    /// The missing value; SQL NULL.
    case null
    /// The value of a Boolean attribute.
    case bool(Bool)
    /// The value of an Integer 16, 32 or 64 attribute.
    case int(Int64)
    /// The value of a Double attribute.
    case double(Double)
    /// The value of a Float attribute.
    case float(Float)
    /// The value of a Decimal attribute.
    case decimal(Decimal)
    /// The value of a String attribute.
    case string(String)
    /// The value of a Date attribute. If it was stored, it is in whole microseconds.
    case date(Date)
    /// The value of a Binary or Transformable attribute.
    case data(Data)
    /// The value of a UUID attribute.
    case uuid(UUID)
    /// The value of a URI attribute.
    case uri(URL)
    /// The elements of a composite, in the order of its description.
    case composite([Value])
    /// The elements of an Array attribute; none of them is ``null``.
    case array([Value])
    /// The destination of a to-one relationship: the key of its row, and the entity of that row.
    case reference(ObjectReference)

    /// Returns true if the store cannot distinguish the two values.
    ///
    /// It differs from `==`: NaN is identical to NaN, and -0 is not identical to 0.
    package func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
        case (.composite(let a), .composite(let b)), (.array(let a), .array(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
        default: self == other
        }
    }

    /// A Boolean value that indicates whether this is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
