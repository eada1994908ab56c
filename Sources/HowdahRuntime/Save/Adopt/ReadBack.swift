import HowdahModel
import PQClient

/// The derived columns that a statement of a save returns, so that objects show the store's computed values.
struct ReadBack: Sendable {
    let layout: EntityLayout
    let slots: [Int]

    /// The values of one row.
    struct Row {
        let root: Int
        let key: Int64
        let values: [(slot: Int, value: Value)]
    }

    /// Creates the columns; nil if there are none to return.
    init?(_ layout: EntityLayout, _ slots: [Int]) {
        if slots.isEmpty { return nil }
        self.layout = layout
        self.slots = slots
    }

    /// Returns the key and the columns, as a list for RETURNING or SELECT.
    func list(_ alias: String? = nil) -> String { layout.list(ofKeyAnd: slots, alias) }

    /// Returns the rows of a statement with the list.
    func rows(_ result: QueryResult) throws -> [Row] {
        var rows: [Row] = []
        let positions = slots.indices.map { Int32($0 + 1) }
        try result.forEachRow { row in
            try positions.withUnsafeBufferPointer { positions in
                guard let base = positions.baseAddress else { return }
                var reader = _RowReader(row: row, positions: base, layout: layout)
                let values = slots.map { slot in
                    (slot, layout.attribute(slot).map { reader.value($0.type) } ?? .null)
                }
                if let failure = reader.failure { throw failure }
                rows.append(Row(root: layout.root, key: row[0].int64, values: values))
            }
        }
        return rows
    }
}
