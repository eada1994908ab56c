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
    private static let componentGap = 44

    /// Lays out each connected component in columns, the largest first, and the entities without lines in a grid
    /// below.
    init(_ content: DiagramContent) {
        self.content = content
        frames = content.boxes.map { _ in Rectangle(x: 0, y: 0, width: 0, height: 0) }
        let components = Components(boxCount: content.boxes.count, connections: content.connections)
        let layouts = components.joined.map { ComponentLayout($0, of: content) }
            .sorted { ($0.width * $0.height, $1.boxes[0]) > ($1.width * $1.height, $0.boxes[0]) }
        let grid = BoxGrid(components.single.map { content.boxes[$0] })
        let area = layouts.reduce(grid.area) {
            $0 + ($1.width + Self.componentGap) * ($1.height + Self.componentGap)
        }
        var packing = Packing(gap: Self.componentGap, area: area, widest: layouts.map(\.width).max() ?? 0)
        for layout in layouts {
            let origin = packing.place(width: layout.width, height: layout.height)
            add(layout, at: Point(x: origin.x + Self.margin, y: origin.y + Self.margin))
        }
        let below = packing.height == 0 ? 0 : packing.height + Self.componentGap
        let cells = grid.frames(width: max(packing.width, packing.limit))
        for (box, cell) in zip(components.single, cells) {
            frames[box] = cell.moved(by: Point(x: Self.margin, y: Self.margin + below))
        }
        lines.sort { $0.connection < $1.connection }
        width = max(packing.width + Self.margin, frames.map(\.maxX).max() ?? 0) + Self.margin
        height = max(packing.height + Self.margin, frames.map(\.maxY).max() ?? 0) + Self.margin
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
