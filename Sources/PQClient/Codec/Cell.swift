/// One value of a row in the server's binary form.
///
/// A cell points into its ``QueryResult`` and is valid until the next row of the same result is read. Check
/// ``isNull`` first. If a cell is decoded as a type of another width, the program stops. So compare
/// ``QueryResult/columns``, or call ``QueryResult/require(_:)``, once for each result.
@frozen
public struct Cell {
    @usableFromInline let start: UnsafePointer<UInt8>?
    @usableFromInline let length: Int32

    @inlinable
    init(start: UnsafePointer<UInt8>?, length: Int32) {
        self.start = start
        self.length = length
    }

    /// A Boolean value that indicates whether this is SQL NULL.
    @inlinable
    public var isNull: Bool { length < 0 }

    /// The received bytes; empty for NULL.
    @inlinable
    public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: Int(max(length, 0)))
    }

    /// The value of a `boolean`.
    @inlinable
    public var bool: Bool { load(UInt8.self) != 0 }

    /// The truth of a condition: false for NULL, as in WHERE.
    package var isTrue: Bool { !isNull && bool }

    /// The value of a `smallint`.
    @inlinable
    public var int16: Int16 { load(Int16.self) }

    /// The value of an `integer`.
    @inlinable
    public var int32: Int32 { load(Int32.self) }

    /// The value of a `bigint`, or of one of the two narrower types.
    @inlinable
    public var int64: Int64 {
        if length == 8 {
            return Int64(
                bigEndian: UnsafeRawPointer(start.unsafelyUnwrapped).loadUnaligned(as: Int64.self))
        }
        return narrowInteger
    }

    /// The value of a `real`.
    @inlinable
    public var float: Float { Float(bitPattern: load(UInt32.self)) }

    /// The value of a `double precision`.
    @inlinable
    public var double: Double { Double(bitPattern: load(UInt64.self)) }

    /// The value of a `text`. Bytes that are not UTF-8 become U+FFFD.
    @inlinable
    public func string() -> String { String(decoding: bytes, as: UTF8.self) }

    /// Decodes the rarer widths, outside the loops that read ``int64``.
    @usableFromInline @inline(never)
    var narrowInteger: Int64 { length == 2 ? Int64(int16) : Int64(int32) }

    @inlinable
    func load<I: FixedWidthInteger>(_ type: I.Type) -> I {
        precondition(
            length == Int32(MemoryLayout<I>.size),
            "The cell does not have the width of the requested type. Check isNull, and check the column's "
                + "type with QueryResult.require(_:)."
        )
        return I(bigEndian: UnsafeRawPointer(start.unsafelyUnwrapped).loadUnaligned(as: I.self))
    }
}
