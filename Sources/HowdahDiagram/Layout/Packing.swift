/// Puts rectangles beside and below one another without overlap, within a width that makes the whole half as wide
/// again as high.
struct Packing {
    let limit: Int
    private let gap: Int
    private var placed: [Rectangle] = []

    var width: Int { placed.map(\.maxX).max() ?? 0 }
    var height: Int { placed.map(\.maxY).max() ?? 0 }

    init(gap: Int, area: Int, widest: Int) {
        self.gap = gap
        var side = 0
        while side * side * 2 < area * 3 { side += 20 }
        limit = max(widest, side)
    }

    /// The upper left corner of the highest free place, the leftmost among equals.
    mutating func place(width: Int, height: Int) -> Point {
        let xs = [0] + placed.map { $0.maxX + gap }
        let ys = [0] + placed.map { $0.maxY + gap }
        var best: Point?
        for y in ys.sorted() where best == nil {
            for x in xs.sorted() where best == nil && x + width <= max(limit, width) {
                let space = Rectangle(x: x - gap, y: y - gap, width: width + 2 * gap, height: height + 2 * gap)
                if !placed.contains(where: space.overlaps) { best = Point(x: x, y: y) }
            }
        }
        let origin = best ?? Point(x: 0, y: self.height + gap)
        placed.append(Rectangle(x: origin.x, y: origin.y, width: width, height: height))
        return origin
    }
}
