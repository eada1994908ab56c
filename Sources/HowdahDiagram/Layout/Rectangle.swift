/// A place of a drawing, in whole units from its upper left corner.
struct Point: Equatable {
    var x: Int
    var y: Int
}

/// An area of a drawing, in whole units; x grows to the right and y downwards.
struct Rectangle: Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int

    var maxX: Int { x + width }
    var maxY: Int { y + height }

    /// Whether the two share more than a border.
    func overlaps(_ other: Rectangle) -> Bool {
        x < other.maxX && other.x < maxX && y < other.maxY && other.y < maxY
    }

    func moved(by offset: Point) -> Rectangle {
        Rectangle(x: x + offset.x, y: y + offset.y, width: width, height: height)
    }
}

extension Point {
    func moved(by offset: Point) -> Point { Point(x: x + offset.x, y: y + offset.y) }
}
