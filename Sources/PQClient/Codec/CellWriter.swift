/// A writer of binary values, each behind its 32-bit length, into one buffer.
///
/// Parameters, array elements and COPY rows all have this form.
///
/// Source: PostgreSQL "Bind" message and "COPY, Binary Format".
public struct CellWriter: Sendable {
    @usableFromInline
    package var buffer: [UInt8] = []
    /// The number of cells written since the owner last reset it.
    @usableFromInline
    package var cellCount = 0
    /// The number of NULLs among all cells written.
    @usableFromInline
    package var nullCount = 0

    /// Creates an empty buffer.
    @inlinable
    package init() {}

    /// Writes SQL NULL.
    @inlinable
    public mutating func null() {
        append(Int32(-1))
        cellCount += 1
        nullCount += 1
    }

    /// Writes a `boolean`.
    @inlinable
    public mutating func bool(_ value: Bool) { fixed(value ? 1 : 0 as UInt8) }

    /// Writes a `smallint`.
    @inlinable
    public mutating func int16(_ value: Int16) { fixed(value) }

    /// Writes an `integer`.
    @inlinable
    public mutating func int32(_ value: Int32) { fixed(value) }

    /// Writes a `bigint`.
    @inlinable
    public mutating func int64(_ value: Int64) { fixed(value) }

    /// Writes a `real`, NaN and infinities included.
    @inlinable
    public mutating func float(_ value: Float) { fixed(value.bitPattern) }

    /// Writes a `double precision`, NaN and infinities included.
    @inlinable
    public mutating func double(_ value: Double) { fixed(value.bitPattern) }

    /// Writes the value of another session's cell, byte for byte; both columns must be of one type.
    package mutating func copy(_ cell: Cell) {
        guard !cell.isNull else { return null() }
        let bytes = cell.bytes
        append(Int32(truncatingIfNeeded: bytes.count))
        buffer.append(contentsOf: bytes)
        cellCount += 1
    }

    @inlinable
    mutating func fixed<I: FixedWidthInteger>(_ value: I) {
        append(Int32(MemoryLayout<I>.size))
        append(value)
        cellCount += 1
    }

    @inlinable
    package mutating func append<I: FixedWidthInteger>(_ value: I) {
        withUnsafeBytes(of: value.bigEndian) { buffer.append(contentsOf: $0) }
    }

    /// Overwrites the integer at `offset`, which was appended before its value was known.
    package mutating func patch(_ value: Int32, at offset: Int) {
        buffer.withUnsafeMutableBytes {
            $0.storeBytes(of: value.bigEndian, toByteOffset: offset, as: Int32.self)
        }
    }

    /// Removes everything after `count` bytes.
    package mutating func truncate(to count: Int) {
        buffer.removeLast(buffer.count - count)
    }
}
