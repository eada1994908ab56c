public import Foundation
public import HowdahModel

/// A part of the value of a Binary Data attribute, as one statement read it.
public struct DataPart: Hashable, Sendable {
    /// The bytes.
    public let bytes: Data
    /// The position of the bytes in the value. It is shorter than the requested range if the value ends
    /// within that.
    public let range: Range<Int>
    /// The number of bytes of the whole value.
    public let count: Int
    /// The version of the object's row; nil for an entity whose table has no column for versions.
    public let version: ObjectVersion?
}
