/// Where everything of a diagram is: a value that can be checked without looking at a picture.
struct DiagramLayout: Equatable {
    /// The line of one connection, from border to border; consecutive points differ in x or in y, not in both.
    struct Line: Equatable {
        /// The connection by its number in the content.
        var connection: Int
        var points: [Point]
    }

    /// The cardinality beside an end of a line.
    struct Label: Equatable {
        /// The connection by its number in the content.
        var connection: Int
        var text: String
        var frame: Rectangle
        /// Whether the text ends at the right of its frame, where its box is.
        var isAtRight: Bool
    }

    let content: DiagramContent
    /// The frames of the content's boxes.
    var frames: [Rectangle]
    var lines: [Line] = []
    var labels: [Label] = []
    var width = 0
    var height = 0

    static let margin = 24

    /// Lays out each connected component in columns, and the entities without lines in a grid.
    init(_ content: DiagramContent) {
        self.content = content
        frames = content.boxes.map { _ in Rectangle(x: 0, y: 0, width: 0, height: 0) }
        let components = Components(boxCount: content.boxes.count, connections: content.connections)
        let layouts = components.joined.map { ComponentLayout($0, of: content) }
            .sorted { ($0.width * $0.height, $1.boxes[0]) > ($1.width * $1.height, $0.boxes[0]) }
        let grid = BoxGrid(components.single.map { content.boxes[$0] })
        let arrangement = Arrangement(layouts, grid)
        let margin = Point(x: Self.margin, y: Self.margin)
        for (layout, origin) in zip(layouts, arrangement.origins) {
            add(layout, at: origin.moved(by: margin))
        }
        for (box, cell) in zip(components.single, arrangement.cells) { frames[box] = cell.moved(by: margin) }
        lines.sort { $0.connection < $1.connection }
        width = arrangement.width + 2 * Self.margin
        height = arrangement.height + 2 * Self.margin
    }

    private mutating func add(_ layout: ComponentLayout, at origin: Point) {
        for (box, frame) in zip(layout.boxes, layout.frames) { frames[box] = frame.moved(by: origin) }
        for line in layout.lines {
            lines.append(Line(connection: line.connection, points: line.points.map { $0.moved(by: origin) }))
        }
        for label in layout.labels {
            labels.append(
                Label(
                    connection: label.connection, text: label.text, frame: label.frame.moved(by: origin),
                    isAtRight: label.isAtRight))
        }
    }
}
