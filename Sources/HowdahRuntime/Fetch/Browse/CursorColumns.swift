import HowdahModel
import PQClient

/// The values of the order behind the columns of a ``BrowseQuery``, from which cursors are made.
///
/// The server leaves out values that are too long for an address, and does not send them only to be dropped.
struct CursorColumns {
    /// The selected expressions: whether a value is left out, and the values.
    let selected: [String]
    private let order: OrderIdentity
    private let hasLimit: Bool

    /// - Parameter limit: The most bytes of a value; nil for any number.
    init(_ sources: [OrderSource], _ order: OrderIdentity, limit: Int?) {
        self.order = order
        let sizes = sources.map { limit == nil ? nil : Self.size(of: $0) }
        let tooLong = sizes.compactMap(\.self).map { "\($0) > \(limit ?? 0)" }
        hasLimit = !tooLong.isEmpty
        let values = zip(sources, sizes).map { source, size in
            size.map { "CASE WHEN \($0) <= \(limit ?? 0) THEN \(source.selected) END" } ?? source.selected
        }
        selected = (hasLimit ? [tooLong.joined(separator: " OR ")] : []) + values
    }

    /// Returns the SQL of a value's size in bytes, for which the server does not read the value; nil if it is short.
    private static func size(of source: OrderSource) -> String? {
        switch source.type {
        case .text: "pg_catalog.octet_length((\(source.sql))::pg_catalog.text)"
        case .bytea: "pg_catalog.octet_length(\(source.sql))"
        default: nil
        }
    }

    /// Returns the cursor of a row; nil if a value of it was left out.
    func cursor(in result: QueryResult, row index: Int) -> PageCursor? {
        if hasLimit {
            let row = result.row(index)
            let isTooLong = row[row.count - order.count - 1]
            if !isTooLong.isNull, isTooLong.bool { return nil }
        }
        return StorePage.place(in: result, row: index, of: order)
    }
}
