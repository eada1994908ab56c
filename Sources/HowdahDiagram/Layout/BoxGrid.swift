/// Boxes without lines, in columns of one width, each box in the column that is shortest so far.
struct BoxGrid {
    private static let gap = 24

    private let heights: [Int]
    let columnWidth: Int

    init(_ boxes: [EntityBox]) {
        let sizes = boxes.map(BoxMetrics.size)
        heights = sizes.map(\.height)
        columnWidth = sizes.map(\.width).max() ?? 0
    }

    var count: Int { heights.count }

    var area: Int { heights.reduce(0) { $0 + ($1 + Self.gap) * (columnWidth + Self.gap) } }

    /// The frames of the boxes in that many columns.
    func frames(columns count: Int) -> [Rectangle] {
        var ends = [Int](repeating: 0, count: count)
        return heights.map { height in
            let column = ends.indices.min { (ends[$0], $0) < (ends[$1], $1) } ?? 0
            let frame = Rectangle(
                x: column * (columnWidth + Self.gap), y: ends[column], width: columnWidth, height: height)
            ends[column] = frame.maxY + Self.gap
            return frame
        }
    }
}
