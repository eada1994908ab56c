extension Cell {
    /// Returns the elements of an array of one dimension, each decoded from its cell.
    ///
    /// - Parameter element: The closure that decodes one element.
    /// - Throws: ``PostgresError`` with code `invalidValue` if the array has several dimensions or a NULL;
    ///   and the errors of `element`.
    public func array<T>(_ element: (Cell) throws -> T) throws -> [T] {
        var rest = bytes[...]
        let dimensions = try Self.integer(&rest)
        _ = try Self.integer(&rest)
        _ = try Self.integer(&rest)
        if dimensions == 0 { return [] }
        guard dimensions == 1 else { throw Self.malformed("has several dimensions") }
        let count = try Self.integer(&rest)
        _ = try Self.integer(&rest)
        var elements: [T] = []
        elements.reserveCapacity(min(Int(max(count, 0)), rest.count / 4))
        for _ in 0..<max(count, 0) {
            let length = try Self.integer(&rest)
            guard length >= 0 else { throw Self.malformed("contains NULL") }
            guard rest.count >= Int(length) else { throw Self.malformed("has a truncated element") }
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(length)))
            // An empty buffer may have no address, and a cell without one is NULL.
            let start = part.baseAddress ?? bytes.baseAddress
            elements.append(
                try element(Cell(start: start?.assumingMemoryBound(to: UInt8.self), length: length)))
            rest = rest.dropFirst(Int(length))
        }
        return elements
    }

    private static func integer(_ rest: inout Slice<UnsafeRawBufferPointer>) throws -> Int32 {
        guard rest.count >= 4 else { throw malformed("has a truncated header") }
        let number = UnsafeRawBufferPointer(rebasing: rest.prefix(4)).loadUnaligned(as: Int32.self)
        rest = rest.dropFirst(4)
        return Int32(bigEndian: number)
    }

    private static func malformed(_ what: String) -> PostgresError {
        PostgresError(
            .invalidValue,
            "An array that was read from the database \(what). Only arrays of one dimension without NULLs can "
                + "be read. Correct the array in SQL, or exclude its row from the statement."
        )
    }
}
