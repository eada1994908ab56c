/// The box of an entity in a picture, in pixels from its upper left corner.
package struct EntityArea: Sendable, Hashable {
    package let entityName: String
    package let left: Int
    package let top: Int
    package let right: Int
    package let bottom: Int
}

extension ModelDiagram {
    /// Returns the picture and the boxes of its entities, in the order of their places: line by line, from left to right.
    ///
    /// - Parameter names: The entities that are drawn; nil for all.
    package func drawing(of names: Set<String>? = nil) -> (svg: String, areas: [EntityArea]) {
        let content = DiagramContent(model)
        let layout = DiagramLayout(names.map(content.limited) ?? content)
        let areas = zip(layout.content.boxes, layout.frames).map { box, frame in
            EntityArea(
                entityName: box.name, left: frame.x, top: frame.y, right: frame.maxX, bottom: frame.maxY)
        }
        return (
            SVGDocument(layout).text,
            areas.sorted { ($0.top, $0.left, $0.entityName) < ($1.top, $1.left, $1.entityName) }
        )
    }
}
