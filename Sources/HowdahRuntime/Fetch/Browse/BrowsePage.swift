/// The rows of a ``BrowseQuery``.
package struct BrowsePage: Sendable {
    /// The rows in the requested order, also if the page was read backward.
    package let rows: [BrowseRow]
    /// Indicates whether there is a page after this one.
    package let hasNext: Bool
    /// Indicates whether there is a page before this one.
    package let hasPrevious: Bool
    /// The cursor of the page after this one; nil if there is none, or if a value of the order is too long for it.
    package let next: PageCursor?
    /// The cursor of the page before this one; nil if there is none, or if a value of the order is too long for it.
    package let previous: PageCursor?
    /// The transactions that the page shows, as `pg_snapshot`; nil without rows.
    package let snapshot: String?
}

/// One object as text.
package struct BrowseRow: Sendable {
    /// The object's key.
    package let key: Int64
    /// The version of the row; nil if its table has none.
    package let version: Int64?
    /// The name of the object's entity.
    package let entityName: String
    /// The values of the requested columns.
    package let cells: [BrowseCell]

    package init(key: Int64, version: Int64?, entityName: String, cells: [BrowseCell]) {
        (self.key, self.version, self.entityName, self.cells) = (key, version, entityName, cells)
    }
}

/// One value as text.
package enum BrowseCell: Sendable, Hashable {
    /// No value.
    case null
    /// A value, whole if `size` is nil; else its beginning, and the size of the whole in bytes.
    case text(String, size: Int?)
    /// The beginning of binary data, and the size of the whole.
    case data([UInt8], size: Int)
    /// The destination of a to-one relationship.
    case object(key: Int64, entityName: String)
    /// The parts of a composite, with their names.
    indirect case parts([Part])

    /// An element of a composite.
    package struct Part: Sendable, Hashable {
        package let name: String
        package let cell: BrowseCell
    }
}
