/// A layout as SVG: lines first, so that boxes lie over them.
struct SVGDocument {
    let layout: DiagramLayout
    private(set) var text = ""

    init(_ layout: DiagramLayout) {
        self.layout = layout
        let (width, height) = (layout.width, layout.height)
        let (boxes, lines) = (layout.content.boxes.count, layout.lines.count)
        let counts =
            "\(boxes) \(boxes == 1 ? "entity" : "entities"), \(lines) \(lines == 1 ? "line" : "lines")"
        append(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" "
                + "viewBox=\"0 0 \(width) \(height)\" role=\"img\">")
        append("<title>Model diagram: \(counts)</title>")
        append("<style>\n\(Stylesheet.text)</style>")
        append("<rect class=\"ground\" width=\"\(width)\" height=\"\(height)\"/>")
        for line in layout.lines { draw(line) }
        for box in layout.content.boxes.indices { draw(box: box) }
        append("</svg>")
    }

    mutating func append(_ element: String) {
        text += element
        text += "\n"
    }
}
