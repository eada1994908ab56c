extension SVGDocument {
    private static let radius = 5

    mutating func draw(_ line: DiagramLayout.Line) {
        let connection = layout.content.connections[line.connection]
        let colour = "c\(line.connection % Stylesheet.lineColourCount)"
        let style =
            switch connection.kind {
            case .inheritance: "link kin"
            case .relationship: "link \(colour)"
            case .oneWay: "link one-way \(colour)"
            }
        append("<g class=\"\(style)\">")
        append("<title>\(connection.summary.xmlEscaped)</title>")
        append("<path class=\"line\" d=\"\(path(line.points))\"/>")
        let points = line.points
        let last = points.count - 1
        let (start, end) = (points[0], points[last])
        if connection.from.cascades { diamond(at: start, towards: points[1]) }
        switch connection.kind {
        case .inheritance:
            head(at: end, from: points[last - 1], style: "hollow", length: 11, half: 6, isClosed: true)
        case .oneWay:
            head(at: end, from: points[last - 1], style: "line open", length: 8, half: 4, isClosed: false)
        case .relationship: if connection.to.cascades { diamond(at: end, towards: points[last - 1]) }
        }
        for label in layout.labels where label.connection == line.connection { draw(label) }
        append("</g>")
    }

    private mutating func draw(_ label: DiagramLayout.Label) {
        let x = label.isAtRight ? label.frame.maxX : label.frame.x
        let style = label.isAtRight ? "count right" : "count"
        append(
            "<text class=\"\(style)\" x=\"\(x)\" y=\"\(label.frame.maxY - 2)\">\(label.text.xmlEscaped)</text>"
        )
    }

    /// Horizontal and vertical pieces with rounded corners.
    private func path(_ points: [Point]) -> String {
        var result = "M\(points[0].x) \(points[0].y)"
        for index in points.indices.dropFirst().dropLast() {
            let (before, corner, after) = (points[index - 1], points[index], points[index + 1])
            let radius = min(Self.radius, corner.distance(to: before) / 2, corner.distance(to: after) / 2)
            let (enter, leave) = (corner.moved(radius, towards: before), corner.moved(radius, towards: after))
            result += "L\(enter.x) \(enter.y)Q\(corner.x) \(corner.y) \(leave.x) \(leave.y)"
        }
        if let last = points.last { result += "L\(last.x) \(last.y)" }
        return result
    }

    private mutating func diamond(at point: Point, towards next: Point) {
        let step = next.x > point.x ? 6 : -6
        append("<path class=\"full\" d=\"M\(point.x) \(point.y)l\(step) -4l\(step) 4l\(-step) 4z\"/>")
    }

    private mutating func head(
        at point: Point, from previous: Point, style: String, length: Int, half: Int, isClosed: Bool
    ) {
        let x = previous.x > point.x ? point.x + length : point.x - length
        append(
            "<path class=\"\(style)\" d=\"M\(x) \(point.y - half)L\(point.x) \(point.y)L\(x) \(point.y + half)"
                + (isClosed ? "z" : "") + "\"/>")
    }
}

extension Point {
    /// The distance to a point at the same x or the same y.
    fileprivate func distance(to other: Point) -> Int { abs(x - other.x) + abs(y - other.y) }

    fileprivate func moved(_ distance: Int, towards other: Point) -> Point {
        Point(x: x + distance * (other.x - x).signum(), y: y + distance * (other.y - y).signum())
    }
}
