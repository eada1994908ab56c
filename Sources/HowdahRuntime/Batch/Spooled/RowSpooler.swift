import Foundation
import HowdahModel

/// Writes rows into a spool, each resolved and checked before.
struct RowSpooler {
    private static let pieceSize = 64 << 10

    private let spool: Spool
    private var rows: BatchRows
    private var writer = SpooledValueWriter()
    /// The refused rows; nil if the first one makes the insertion fail.
    private(set) var refused: RefusedRowList?

    /// - Throws: `FetchError` for names that do not fit the model, `SaveError` for rows that cannot be
    ///   inserted.
    init<Object: ManagedObject>(
        _ target: BatchTarget, _ type: Object.Type, in store: Store, to spool: Spool
    ) throws {
        self.init(try Destination(target, type, in: store), in: store, to: spool)
    }

    init(_ destination: Destination, in store: Store, to spool: Spool) {
        self.spool = spool
        refused = destination.refused
        // What no row names is added when the rows are inserted, with the moment of that.
        let columns = BatchColumns(
            destination.layout, in: store.layouts.entities, hasKeys: true, computed: destination.computed,
            at: Date())
        rows = BatchRows(columns, watching: [])
    }

    /// The destination of the rows.
    struct Destination: Sendable {
        let layout: EntityLayout
        /// The attributes whose values the class computes for rows that do not name them.
        let computed: Set<Int>
        let refused: RefusedRowList?

        /// - Throws: `FetchError` for names that do not fit the model, `SaveError` for rows that cannot be
        ///   inserted.
        init<Object: ManagedObject>(_ target: BatchTarget, _ type: Object.Type, in store: Store) throws {
            let context = ManagedObjectContext(store: store)
            (layout, _) = try context.resolve(target, type)
            refused = try RefusedRowList(target.refusedRows, of: layout)
            let initial = InitialValues(layout, context)
            computed = initial?.slots ?? []
            initial?.release(from: context)
        }
    }

    /// The number of rows that were added or refused.
    var count: Int { rows.number }

    /// Adds a row.
    ///
    /// - Throws: `SaveError` or `FetchError` naming entity, property and the row's number; `StoreError` with
    ///   `temporaryFile`.
    mutating func add<V>(_ row: [String: V]) throws {
        let values: [Value]
        do {
            values = try rows.values(row, key: 0)
        } catch let error as SaveError where error.code == .validation && refused != nil {
            try refused?.add(rows.number, error.issues)
            return
        }
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
