import HowdahModel
import HowdahRuntime

/// A page of an export. An object with more columns than a statement can read is read with several, in one snapshot.
struct ExportRows: Sendable {
    let rows: [BrowseRow]
    /// The values of each row, in the order of the columns.
    let cells: [[BrowseCell]]
    let next: PageCursor?

    /// Reads a page.
    ///
    /// - Parameter groups: The columns of each statement.
    init(_ query: BrowseQuery, groups: [[String]], _ session: BrowseReader.Session) throws {
        var query = query
        query.columns = groups.first ?? []
        let page = try session.context.browse(query)
        var cells = page.rows.map(\.cells)
        for group in groups.dropFirst() {
            query.columns = group
            // The order is by the key too, so that the same rows come again.
            for (index, row) in try session.context.browse(query).rows.enumerated() {
                cells[index] += row.cells
            }
        }
        (rows, self.cells, next) = (page.rows, cells, page.next)
    }

    /// Returns columns in groups that one statement can read.
    static func groups(_ columns: [String], of entity: String, _ guide: ModelGuide) -> [[String]] {
        var groups: [[String]] = []
        var left = columns[...]
        while !left.isEmpty {
            let group = guide.readable(Array(left), of: entity)
            if group.isEmpty { break }
            groups.append(group)
            left = left.dropFirst(group.count)
        }
        return groups
    }
}
