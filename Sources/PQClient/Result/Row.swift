/// One row of a ``QueryResult``: a view that is valid until the next row of the same result is read.
@frozen
public struct Row {
    @usableFromInline let cells: UnsafePointer<Cell>
    /// The number of columns.
    public let count: Int

    @inlinable
    init(cells: UnsafePointer<Cell>, count: Int) {
        self.cells = cells
        self.count = count
    }

    /// The value in one column, from 0.
    @inlinable
    public subscript(_ column: Int) -> Cell {
        precondition(
            column >= 0 && column < count, "The result has only \(count) columns. Use an index below count.")
        return cells[column]
    }
}
