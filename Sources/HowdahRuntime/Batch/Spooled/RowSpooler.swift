import Foundation

/// Writes rows into a spool, each resolved and checked before.
struct RowSpooler {
    private static let pieceSize = 64 << 10

    private let spool: Spool
    private var rows: BatchRows
    private var writer = SpooledValueWriter()

    init(_ layout: EntityLayout, in store: Store, to spool: Spool) {
        self.spool = spool
        // What no row names is added when the rows are inserted, with the moment of that.
        let columns = BatchColumns(layout, in: store.layouts.entities, hasKeys: true, at: Date())
        rows = BatchRows(columns, watching: [])
    }

    /// The number of rows that were added.
    var count: Int { rows.number }

    /// Adds a row.
    ///
    /// - Throws: `SaveError` or `FetchError` naming entity, property and the row's number; `StoreError` with
    ///   `temporaryFile`.
    mutating func add<V>(_ row: [String: V]) throws {
        let values = try rows.values(row, key: 0)
        writer.sized { writer in
            writer.flags(rows.named)
            var place = 1 + rows.columns.shared.count
            for (property, isNamed) in zip(rows.columns.properties, rows.named) {
                if isNamed {
                    for value in values[place..<place + property.columns.count] { writer.value(value) }
                }
                place += property.columns.count
            }
        }
        if writer.bytes.count >= Self.pieceSize { try flush() }
    }

    /// Adds the rows that are not in the spool yet; call it after the last row.
    ///
    /// - Throws: `StoreError` with `temporaryFile`.
    mutating func flush() throws {
        if writer.bytes.isEmpty { return }
        try writer.bytes.withUnsafeBytes { try spool.append($0) }
        writer.bytes.removeAll(keepingCapacity: true)
    }
}
