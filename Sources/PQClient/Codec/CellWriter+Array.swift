extension CellWriter {
    /// Writes an array of one dimension.
    ///
    /// - Parameters:
    ///   - element: The type of the elements.
    ///   - count: The number of elements.
    ///   - body: The closure that writes exactly `count` cells; NULL elements are possible.
    /// - Throws: The errors of `body`. If it throws, nothing is written.
    public mutating func array(
        of element: OID, count: Int, _ body: (inout CellWriter) throws -> Void
    ) rethrows {
        let start = buffer.count
        let (cellsBefore, nullsBefore) = (cellCount, nullCount)
        append(0 as Int32)
        append(Int32(count > 0 ? 1 : 0))
        let flagsOffset = buffer.count
        append(0 as Int32)
        append(element.rawValue)
        if count > 0 {
            append(Int32(clamping: count))
            append(1 as Int32)
        }
        do {
            try body(&self)
        } catch {
            truncate(to: start)
            (cellCount, nullCount) = (cellsBefore, nullsBefore)
            throw error
        }
        precondition(
            cellCount == cellsBefore + count,
            "The body of an array wrote another number of cells than `count`. Write exactly `count` cells.")
        if nullCount > nullsBefore { patch(1, at: flagsOffset) }
        patch(Int32(clamping: buffer.count - start - 4), at: start)
        (cellCount, nullCount) = (cellsBefore + 1, nullsBefore)
    }
}
