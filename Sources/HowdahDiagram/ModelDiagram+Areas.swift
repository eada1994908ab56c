/// The box of an entity in a picture, in pixels from its upper left corner.
package struct EntityArea: Sendable, Hashable {
    package let entityName: String
    package let left: Int
    package let top: Int
    package let right: Int
    package let bottom: Int

    /// Returns the area in the coordinates of a part of the picture; nil if nothing of it is there.
    package func seen(left: Int, top: Int, width: Int, height: Int) -> EntityArea? {
        let area = EntityArea(
            entityName: entityName, left: max(0, self.left - left), top: max(0, self.top - top),
            right: min(width, right - left), bottom: min(height, bottom - top))
        return area.left < area.right && area.top < area.bottom ? area : nil
    }
}

extension ModelDiagram {
    /// The picture and the boxes of its entities, in the order of their places: line by line, from left to right.
    package var drawing: (svg: String, areas: [EntityArea]) {
        let layout = DiagramLayout(DiagramContent(model))
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
