import HowdahModel
import PQClient

/// A row from a spool: the names of its properties, and their columns' values.
struct SpooledRow: BatchRow {
    let values: SpooledValueReader

    func write(by rows: inout BatchRows, key: Int64?, to cells: inout CellWriter) throws {
        let values = try values(by: &rows, key: key ?? 0)
        for (value, column) in zip(values[(key == nil ? 1 : 0)...], rows.columns.all) {
            try cells.write(value, as: column.type)
        }
    }

    func values(by rows: inout BatchRows, key: Int64) throws -> [Value] {
        var reader = values
        repeat { rows.number += 1 } while rows.refused.contains(rows.number)
        var values: [Value] = [.int(key)]
        values.reserveCapacity(rows.columns.all.count + 1)
        values += rows.columns.shared.map(\.value)
        reader.flags(&rows.named)
        for (place, property) in rows.columns.properties.enumerated() {
            guard rows.named[place] else {
                values += try rows.initial(property)
                continue
            }
            let start = values.count
            for _ in property.columns { values.append(reader.value()) }
            if rows.watched.contains(property.slot), case .int(let destination) = values[start] {
                rows.destinations[property.slot, default: []].insert(destination)
            }
        }
        return values
    }
}
