import HowdahModel
import PQClient

/// A row as the store holds it now, in the shape of change tracking.
struct StoredRow {
    let version: Int64
    /// One per slot; of slots without columns nothing is known.
    let values: [ChangeRecord.Original?]

    /// Reads rows of one entity by their keys, in one statement; what is gone is not among them.
    ///
    /// - Parameter query: runs the statement.
    static func read(
        _ keys: [Int64], of layout: EntityLayout, in layouts: StoreLayout,
        by query: (String, Parameters) throws -> QueryResult
    ) throws -> [Int64: StoredRow] {
        let selection = layouts.selection(of: layout)
        var parameters = Parameters()
        parameters.append(keys)
        let result = try query(selection.rowsByKeys, parameters)
        let positions = selection.positions(of: layout.index)
        try selection.check(result, first: 0)
        var rows: [Int64: StoredRow] = [:]
        try result.forEachRow { row in
            let version = try row.integer(1, "_version", of: layout)
            rows[try row.integer(0, "_id", of: layout)] = positions.withUnsafeBufferPointer { positions in
                guard let base = positions.baseAddress else {
                    return StoredRow(version: version, values: layout.slots.map { _ in nil })
                }
                var reader = RowReader(row: row, positions: base, layout: layout)
                return StoredRow(
                    version: version, values: layout.slots.indices.map { value(&reader, layout, $0) })
            }
        }
        return rows
    }

    private static func value(
        _ reader: inout RowReader, _ layout: EntityLayout, _ slot: Int
    ) -> ChangeRecord.Original? {
        if layout.slots[slot].columns.isEmpty { return nil }
        switch layout.slots[slot].kind {
        case .attribute(let attribute): return .value(reader.value(attribute.type))
        case .toOne: return .toOne(reader.toOne(slot))
        case .toMany: return nil
        }
    }
}

extension ChangeRecord.Original {
    /// Whether both are the same value, or lead to the same row.
    func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.value(let one), .value(let other)): one.isIdentical(to: other)
        case (.toOne(let one), .toOne(let other)): one.leadsWhere(other)
        case (.value, .toOne), (.toOne, .value): false
        }
    }
}
