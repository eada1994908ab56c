public import Foundation

/// One attribute value, whatever its attribute type; the common currency of generic access, predicates and saves.
///
/// Typed managed objects do not store these: they keep plain Swift fields and convert only where code does not
/// know the type (dynamic objects, change tracking, predicates).
public enum Value: Hashable, Sendable {
    /// No value; SQL NULL.
    case null
    /// A Boolean attribute's value.
    case bool(Bool)
    /// An Integer 16, 32 or 64 attribute's value.
    case int(Int64)
    /// A Double attribute's value.
    case double(Double)
    /// A Float attribute's value.
    case float(Float)
    /// A Decimal attribute's value.
    case decimal(Decimal)
    /// A String attribute's value.
    case string(String)
    /// A Date attribute's value, in whole microseconds once it was stored.
    case date(Date)
    /// A Binary or Transformable attribute's value.
    case data(Data)
    /// A UUID attribute's value.
    case uuid(UUID)
    /// A URI attribute's value.
    case uri(URL)
    /// A composite's elements in the order of its description.
    case composite([Value])
    /// An Array attribute's elements; none of them is ``null``.
    case array([Value])
    /// A to-one destination: the key of a row of the destination's hierarchy, and the entity it has.
    case reference(ObjectReference)

    /// Whether the store could not tell the two apart: as `==`, but NaN is NaN, and -0 is not 0.
    package func isIdentical(to other: Value) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
        case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern || a.isNaN && b.isNaN
        case (.composite(let a), .composite(let b)), (.array(let a), .array(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
        default: self == other
        }
    }

    /// Whether this is ``null``.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}
