import HowdahModel
import PQClient

/// A row of a batch insertion, in the program's form or from a spool.
protocol BatchRow {
    /// Writes the row's cells one after the other.
    ///
    /// - Throws: `SaveError` naming entity, property and the row's number.
    func write(by rows: inout BatchRows, key: Int64?, to cells: inout CellWriter) throws

    /// Returns the row's values, one for each column.
    ///
    /// - Throws: The errors of ``write(by:key:to:)``.
    func values(by rows: inout BatchRows, key: Int64) throws -> [Value]
}

extension Dictionary: BatchRow where Key == String {
    func write(by rows: inout BatchRows, key: Int64?, to cells: inout CellWriter) throws {
        try rows.write(self, key: key, to: &cells)
    }

    func values(by rows: inout BatchRows, key: Int64) throws -> [HowdahModel.Value] {
        try rows.values(self, key: key)
    }
}
