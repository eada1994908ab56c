/// Where the components and the grid of single boxes go, chosen so that the whole fits a page.
struct Arrangement {
    /// The upper left corners of the components, in the order in which they were given.
    private(set) var origins: [Point] = []
    /// The frames of the single boxes.
    private(set) var cells: [Rectangle] = []
    private(set) var width = 0
    private(set) var height = 0

    init(_ components: [ComponentLayout], _ grid: BoxGrid) {
        let area = components.reduce(grid.area) {
            $0 + ($1.width + Packing.gap) * ($1.height + Packing.gap)
        }
        let parts = components.map(\.parts)
        let widest = max(grid.columnWidth, parts.flatMap { $0.map(\.maxX) }.max() ?? 0)
        var side = 0
        while side * side * 2 < area * 3 { side += 20 }
        let limits = [widest, side, side * 5 / 4, widest * 5 / 4, widest * 3 / 2].map { max(widest, $0) }
        var best: Packing?
        for limit in Set(limits).sorted() {
            var packed = Packing(limit: limit)
            let origins = parts.compactMap { packed.place($0) }
            for columns in min(1, grid.count)...min(16, grid.count) {
                var packing = packed
                let cells = grid.frames(columns: columns)
                guard let corner = packing.place(cells) else { break }
                guard best.map({ packing.excess < $0.excess }) ?? true else { continue }
                best = packing
                (self.origins, self.cells) = (origins, cells.map { $0.moved(by: corner) })
            }
        }
        (width, height) = (best?.width ?? 0, best?.height ?? 0)
    }
}
