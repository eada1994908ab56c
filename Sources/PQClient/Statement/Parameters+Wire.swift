extension Parameters {
    /// The form that libpq needs: arrays of pointers, lengths and formats, all into this buffer.
    struct Wire {
        let count: Int32
        let types: UnsafePointer<UInt32>?
        let values: UnsafePointer<UnsafePointer<CChar>?>?
        let lengths: UnsafePointer<Int32>?
        let formats: UnsafePointer<Int32>?
    }

    static let maximumCount = 65_535
    static let maximumBytes = 256 << 20

    /// Checks for values that libpq and the protocol would cut or refuse later.
    func checkLimits() throws {
        if count > Self.maximumCount {
            throw PostgresError(
                .invalidValue,
                "A statement has \(count) parameters, and the limit is 65,535. Pass arrays instead.")
        }
        if writer.buffer.count > Self.maximumBytes {
            throw PostgresError(
                .invalidValue,
                "The parameters of a statement exceed 256 MB. Send the values in several statements."
            )
        }
    }

    func withWire<R>(_ body: (Wire) throws -> R) rethrows -> R {
        guard count > 0 else {
            return try body(Wire(count: 0, types: nil, values: nil, lengths: nil, formats: nil))
        }
        return try writer.buffer.withUnsafeBytes { arena in
            try types.withUnsafeBufferPointer { types in
                try withUnsafeTemporaryAllocation(of: UnsafePointer<CChar>?.self, capacity: count) { values in
                    try withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * count) { numbers in
                        for (index, offset) in offsets.enumerated() {
                            let length = Int32(
                                bigEndian: arena.loadUnaligned(fromByteOffset: offset, as: Int32.self))
                            let start = arena.baseAddress.map { $0 + offset + 4 }
                            values.initializeElement(
                                at: index,
                                to: length < 0 ? nil : start?.assumingMemoryBound(to: CChar.self))
                            numbers.initializeElement(at: index, to: length)
                            numbers.initializeElement(at: count + index, to: 1)
                        }
                        let numberBase = UnsafePointer(numbers.baseAddress)
                        return try body(
                            Wire(
                                count: Int32(count),
                                types: UnsafeRawPointer(types.baseAddress)?
                                    .assumingMemoryBound(to: UInt32.self),
                                values: UnsafePointer(values.baseAddress), lengths: numberBase,
                                formats: numberBase.map { $0 + count }))
                    }
                }
            }
        }
    }
}
