/// Where columns and tracks are, from left to right.
struct ColumnRulers {
    private(set) var columnStarts: [Int] = []
    /// The first track of each channel.
    private var trackStarts: [Int] = []
    private let boxWidths: [Int]

    init(widths: [Int], columns: [Int], channels: [Channel], labelMargins: [Routing.LabelMargins]) {
        let count = channels.count - 1
        var columnWidths = [Int](repeating: 0, count: count)
        for (box, column) in columns.enumerated() {
            columnWidths[column] = max(columnWidths[column], widths[box])
        }
        // Boxes of one column are of one width unless one of them is much wider.
        boxWidths = columns.indices.map { box in
            let full = columnWidths[columns[box]]
            return full <= max(260, widths[box] * 3 / 2) ? full : widths[box]
        }
        var x = 0
        for channel in 0...count {
            trackStarts.append(x + labelMargins[channel].left)
            let tracks = max(0, channels[channel].trackCount - 1) * LineMetrics.trackWidth
            let isUsed = labelMargins[channel].left + labelMargins[channel].right > 0
            let isOuter = channel == 0 || channel == count
            x += isUsed || !isOuter ? labelMargins[channel].left + tracks + labelMargins[channel].right : 0
            guard channel < count else { break }
            columnStarts.append(x)
            x += columnWidths[channel]
        }
    }

    func width(ofBox box: Int) -> Int { boxWidths[box] }

    func x(ofTrack track: Int, in channel: Int) -> Int {
        trackStarts[channel] + track * LineMetrics.trackWidth
    }
}
