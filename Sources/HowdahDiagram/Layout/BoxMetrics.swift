/// The sizes of boxes and of what is in them.
enum BoxMetrics {
    static let headerHeight = 28
    static let rowHeight = 17
    static let padding = 10
    /// Between the header or the rule and the row beside it.
    static let gap = 5
    static let indent = 12
    /// Between a name and what stands on the right of it.
    static let columnGap = 14
    static let markGap = 6
    /// Font sizes in tenths of a unit.
    static let headerFont = 130
    static let rowFont = 115
    static let markFont = 90

    static func size(of box: EntityBox) -> (width: Int, height: Int) {
        var width = TextWidth.of(box.name, size: headerFont, bold: true) + 2 * padding
        for row in box.rows {
            var rowWidth = 2 * padding + row.depth * indent + TextWidth.of(row.name, size: rowFont)
            for mark in row.marks { rowWidth += markGap + TextWidth.of(mark, size: markFont) }
            if !row.type.isEmpty { rowWidth += columnGap + TextWidth.of(row.type, size: rowFont) }
            width = max(width, rowWidth)
        }
        return (max(width, 96), height(of: box))
    }

    static func height(of box: EntityBox) -> Int {
        guard !box.rows.isEmpty else { return headerHeight }
        return headerHeight + 2 * gap + box.rows.count * rowHeight + (hasRule(box) ? 2 * gap : 0)
    }

    /// Whether attributes stand above relationships, so that a rule divides them.
    static func hasRule(_ box: EntityBox) -> Bool { (box.firstRelationshipRow ?? 0) > 0 }

    /// The middle of a row, or of the header for nil, measured from the box's top.
    static func middle(ofRow row: Int?, in box: EntityBox) -> Int {
        guard let row else { return headerHeight / 2 }
        let isBelowRule = hasRule(box) && row >= (box.firstRelationshipRow ?? 0)
        return headerHeight + gap + row * rowHeight + rowHeight / 2 + (isBelowRule ? 2 * gap : 0)
    }
}
