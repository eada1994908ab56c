/// Puts drawings beside and below one another: each hangs below what is above it, wherever that is highest.
struct Packing {
    /// The width of the strips by which free space is looked for.
    private static let step = 16
    static let gap = 44

    /// How wide the whole may become.
    let limit: Int
    private(set) var width = 0
    private(set) var height = 0
    /// Where each strip begins to be free; 0 for an empty one.
    private var ends: [Int]

    init(limit: Int) {
        self.limit = limit
        ends = [Int](repeating: 0, count: (limit + 2 * Self.gap) / Self.step + 2)
    }

    /// How little the whole fits a page that is half as wide again as high.
    var excess: (Int, Int) { (max(width * 2, height * 3), width * height) }

    /// Finds a place for the drawing with these parts, which begin at 0; nil when it is wider than the limit.
    mutating func place(_ parts: [Rectangle]) -> Point? {
        let (width, height) = (parts.map(\.maxX).max() ?? 0, parts.map(\.maxY).max() ?? 0)
        guard width <= limit else { return nil }
        var best: Point?
        for x in stride(from: 0, through: limit - width, by: Self.step) {
            var end = 0
            for strip in strips(from: x - Self.gap, to: x + width + Self.gap) { end = max(end, ends[strip]) }
            let y = end == 0 ? 0 : end + Self.gap
            if best.map({ y < $0.y }) ?? true { best = Point(x: x, y: y) }
            if y == 0 { break }
        }
        guard let origin = best else { return nil }
        for part in parts {
            for strip in strips(from: origin.x + part.x, to: origin.x + part.maxX) {
                ends[strip] = max(ends[strip], origin.y + part.maxY)
            }
        }
        self.width = max(self.width, origin.x + width)
        self.height = max(self.height, origin.y + height)
        return origin
    }

    private func strips(from start: Int, to end: Int) -> ClosedRange<Int> {
        let first = max(0, start) / Self.step
        return first...min(ends.count - 1, max(first, end / Self.step))
    }
}
