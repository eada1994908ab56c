import Foundation
import HowdahModel
import PQClient

/// Reads the rows of a ``ValueStatement``.
struct ValueRows {
    let context: ManagedObjectContext
    let statement: ValueStatement

    /// Returns each row's values by name, without nil values.
    func dictionaries(in result: QueryResult) throws -> [[String: any Sendable]] {
        try check(result)
        let places = positions
        return try result.map { row in
            var values: [String: any Sendable] = [:]
            for (column, place) in zip(statement.columns, places) {
                values[column.name] = try value(of: column, row, place)
            }
            return values
        }
    }

    /// Returns the typed first column of each row.
    func values<Value: AttributeValue>(in result: QueryResult, as type: Value.Type) throws -> [Value] {
        try check(result)
        guard case .attribute(let layout, let start, _) = statement.columns[0].form else { return [] }
        let place = positions[0]
        return try result.map { row in try read(row, place, layout, start) { $0.read(type) } }
    }

    private func check(_ result: QueryResult) throws {
        var first = 0
        for column in statement.columns {
            if case .attribute(let layout, let start, _) = column.form {
                for offset in column.selected.indices {
                    let wanted = layout.columns[start + offset]
                    guard result.type(ofColumn: first + offset) == wanted.received else {
                        throw FetchError(
                            .schemaMismatch,
                            "The column \(wanted.name) in the table of \(layout.name) no longer has the type "
                                + "\(wanted.type.sqlName) of the store's model. Alter the column back, or migrate "
                                + "the store.")
                    }
                }
            }
            first += column.selected.count
        }
    }

    /// The position in a row of each selected column, for each column of the request.
    private var positions: [[Int32]] {
        var first = 0
        return statement.columns.map { column in
            defer { first += column.selected.count }
            guard case .attribute(let layout, let start, _) = column.form else { return [Int32(first)] }
            var positions = [Int32](repeating: 0, count: max(1, layout.columns.count))
            for offset in column.selected.indices { positions[start + offset] = Int32(first + offset) }
            return positions
        }
    }

    private func value(
        of column: ValueColumn, _ row: Row, _ positions: [Int32]
    ) throws -> (any Sendable)? {
        switch column.form {
        case .attribute(let layout, let start, let type):
            let value = try read(row, positions, layout, start) { $0.value(type) }
            return ValueCoding.any(value, of: type)
        case .object(let layout):
            let first = Int(positions[0])
            if row[first].isNull { return nil }
            let name = column.selected.count > 1 ? row[first + 1].string() : layout.storedName
            return ObjectID<ManagedObject>(
                storeIdentifier: context.store.identifier, entityName: name,
                key: try row.integer(first, "_id", of: layout))
        case .count: return row[Int(positions[0])].int64
        case .integer:
            guard let number = try decimal(row[Int(positions[0])], column) else { return nil }
            let whole = NSDecimalNumber(decimal: number).int64Value
            return Decimal(whole) == number ? whole : number
        case .decimal: return try decimal(row[Int(positions[0])], column)
        case .double:
            let cell = row[Int(positions[0])]
            return cell.isNull ? nil : cell.double
        }
    }

    /// Returns a number that the server computed, which may have more digits than its operands.
    private func decimal(_ cell: Cell, _ column: ValueColumn) throws -> Decimal? {
        if cell.isNull { return nil }
        do {
            return try cell.roundedDecimal()
        } catch {
            throw FetchError(
                .invalidValue,
                "'\(column.name)' has a number that Decimal cannot hold: it is too large or infinite. Cast the "
                    + "number in SQL, or exclude such rows."
            )
        }
    }

    private func read<T>(
        _ row: Row, _ positions: [Int32], _ layout: EntityLayout, _ start: Int,
        _ body: (inout _RowReader) -> T
    ) throws -> T {
        try positions.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else {
                throw FetchError(
                    .schemaMismatch,
                    "Another program altered the table of \(layout.name), whose columns now differ from the "
                        + "model. Alter the table back, or migrate the store."
                )
            }
            var reader = _RowReader(row: row, positions: base, layout: layout)
            reader.ordinal = start
            let value = body(&reader)
            if let failure = reader.failure { throw failure }
            return value
        }
    }
}
