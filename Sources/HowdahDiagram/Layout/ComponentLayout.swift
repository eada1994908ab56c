/// The layout of one connected component, from its upper left corner.
struct ComponentLayout {
    /// Numbers of boxes in the content.
    let boxes: [Int]
    private(set) var frames: [Rectangle] = []
    private(set) var lines: [DiagramLayout.Line] = []
    private(set) var labels: [DiagramLayout.Label] = []
    private(set) var width = 0
    private(set) var height = 0

    /// How often lines that run together are moved apart; each time may bring others together.
    private static let maximumShifts = 40

    init(_ component: Components.Component, of content: DiagramContent) {
        boxes = component.boxes
        var places: [Int: Int] = [:]
        for (place, box) in boxes.enumerated() { places[box] = place }
        let connections = component.connections.map { number in
            var connection = content.connections[number]
            connection.from.box = places[connection.from.box] ?? 0
            connection.to.box = places[connection.to.box] ?? 0
            return connection
        }
        let own = boxes.map { content.boxes[$0] }
        let sizes = own.map(BoxMetrics.size)
        let columns = ColumnAssignment.columns(
            heights: sizes.map(\.height),
            edges: connections.map {
                .init(from: $0.from.box, to: $0.to.box, isInheritance: $0.kind == .inheritance)
            },
            averageWidth: sizes.reduce(0) { $0 + $1.width } / max(1, sizes.count))
        let graph = ColumnGraph(
            boxes: own, heights: sizes.map(\.height), columns: columns, connections: connections)
        var tops = ColumnPlacement.tops(of: graph)
        var routing = Routing(graph: graph, tops: tops, boxes: own, connections: connections)
        for _ in 0..<Self.maximumShifts {
            guard let conflict = routing.conflict else { break }
            graph.shift(from: conflict, &tops)
            routing = Routing(graph: graph, tops: tops, boxes: own, connections: connections)
        }
        let rulers = ColumnRulers(
            widths: sizes.map(\.width), columns: columns, channels: routing.channels,
            labelMargins: routing.labelMargins
        )
        frames = own.indices.map { box in
            Rectangle(
                x: rulers.columnStarts[columns[box]], y: tops[box], width: rulers.width(ofBox: box),
                height: sizes[box].height)
        }
        for (place, connection) in connections.enumerated() {
            let points = routing.points(of: place, frames: frames, rulers: rulers)
            lines.append(DiagramLayout.Line(connection: component.connections[place], points: points))
            addLabel(of: connection.from, connection.kind, at: points[0], component.connections[place])
            addLabel(
                of: connection.to, connection.kind, at: points[points.count - 1], component.connections[place]
            )
        }
        width = parts.map(\.maxX).max() ?? 0
        height = parts.map(\.maxY).max() ?? 0
    }

    /// Everything that takes space: boxes, labels, and the pieces of the lines.
    var parts: [Rectangle] {
        frames + labels.map(\.frame)
            + lines.flatMap { line in
                zip(line.points, line.points.dropFirst()).map { a, b in
                    Rectangle(
                        x: min(a.x, b.x), y: min(a.y, b.y), width: abs(a.x - b.x) + 1,
                        height: abs(a.y - b.y) + 1)
                }
            }
    }

    private mutating func addLabel(
        of end: Connection.End, _ kind: Connection.Kind, at point: Point, _ connection: Int
    ) {
        guard !end.cardinality.isEmpty else { return }
        let isAtRight = point.x == frames[end.box].x
        let width = TextWidth.of(end.cardinality, size: LineMetrics.labelFont)
        let distance = LineMetrics.labelDistance(end, kind)
        labels.append(
            DiagramLayout.Label(
                connection: connection, text: end.cardinality,
                frame: Rectangle(
                    x: isAtRight ? point.x - distance - width : point.x + distance,
                    y: point.y - LineMetrics.labelHeight - 1, width: width, height: LineMetrics.labelHeight),
                isAtRight: isAtRight))
    }
}
