extension SVGDocument {
    mutating func draw(box number: Int) {
        let (box, frame) = (layout.content.boxes[number], layout.frames[number])
        let bare = BoxMetrics.headerHeight == frame.height
        append("<g class=\"entity\">")
        append(
            "<rect class=\"box\" x=\"\(frame.x)\" y=\"\(frame.y)\" width=\"\(frame.width)\" "
                + "height=\"\(frame.height)\" rx=\"6\"/>")
        append("<path class=\"head\" d=\"\(header(of: frame, isRoundBelow: bare))\"/>")
        let style = box.isAbstract ? "name abstract" : "name"
        append(
            "<text class=\"\(style)\" x=\"\(frame.x + BoxMetrics.padding)\" "
                + "y=\"\(frame.y + BoxMetrics.headerHeight / 2 + 5)\">\(box.name.xmlEscaped)</text>")
        if BoxMetrics.hasRule(box), let row = box.firstRelationshipRow {
            let y =
                frame.y + BoxMetrics.middle(ofRow: row, in: box) - BoxMetrics.rowHeight / 2 - BoxMetrics.gap
            append("<path class=\"rule\" d=\"M\(frame.x) \(y)h\(frame.width)\"/>")
        }
        for (number, row) in box.rows.enumerated() {
            draw(row, y: frame.y + BoxMetrics.middle(ofRow: number, in: box) + 4, in: frame)
        }
        append("</g>")
    }

    private func header(of frame: Rectangle, isRoundBelow: Bool) -> String {
        let (width, height) = (frame.width - 1, BoxMetrics.headerHeight)
        let start = "M\(frame.x).5 \(frame.y + 6)a5.5 5.5 0 0 1 5.5 -5.5h\(width - 11)a5.5 5.5 0 0 1 5.5 5.5"
        guard isRoundBelow else { return start + "v\(height - 6)h-\(width)z" }
        return start + "v\(height - 12)a5.5 5.5 0 0 1 -5.5 5.5h-\(width - 11)a5.5 5.5 0 0 1 -5.5 -5.5z"
    }

    private mutating func draw(_ row: BoxRow, y: Int, in frame: Rectangle) {
        var x = frame.x + BoxMetrics.padding + row.depth * BoxMetrics.indent
        let style =
            switch row.kind {
            case .attribute: row.marks.contains("transient") ? " class=\"dim\"" : ""
            case .relationship: ""
            case .element, .uniqueness: " class=\"dim\""
            case .arrival: " class=\"dim abstract\""
            }
        append("<text\(style) x=\"\(x)\" y=\"\(y)\">\(row.name.xmlEscaped)</text>")
        x += TextWidth.of(row.name, size: BoxMetrics.rowFont)
        for mark in row.marks {
            x += BoxMetrics.markGap
            append("<text class=\"mark\" x=\"\(x)\" y=\"\(y)\">\(mark.xmlEscaped)</text>")
            x += TextWidth.of(mark, size: BoxMetrics.markFont)
        }
        guard !row.type.isEmpty else { return }
        append(
            "<text class=\"type\" x=\"\(frame.maxX - BoxMetrics.padding)\" y=\"\(y)\">\(row.type.xmlEscaped)</text>"
        )
    }
}
