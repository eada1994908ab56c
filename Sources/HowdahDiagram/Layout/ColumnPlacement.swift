import HowdahModel

/// Finds the order of the items in their columns and their heights, so that lines are short and straight.
struct ColumnPlacement {
    static let boxGap = 26
    private static let lineGap = 10
    /// How much longer lines may become where they cross once less.
    private static let crossingCost = 150
    /// Above this many items one search has to do.
    private static let largeCount = 600
    private static let boxToLineGap = 13

    struct Pull {
        var other: Int
        var ownOffset: Int
        var otherOffset: Int
        var weight: Int
    }

    enum Side { case left, right, both }

    let items: [ColumnGraph.Item]
    let links: [ColumnGraph.Link]
    let pulls: [[Pull]]
    private(set) var columns: [[Int]]
    /// The upper end of each item.
    var tops: [Double]

    init(_ graph: ColumnGraph) {
        items = graph.items
        links = graph.links.filter { $0.from != $0.to }
        var pulls = [[Pull]](repeating: [], count: items.count)
        for link in links {
            pulls[link.from].append(
                Pull(
                    other: link.to, ownOffset: link.fromOffset, otherOffset: link.toOffset,
                    weight: link.weight))
            pulls[link.to].append(
                Pull(
                    other: link.from, ownOffset: link.toOffset, otherOffset: link.fromOffset,
                    weight: link.weight))
        }
        self.pulls = pulls
        columns = [[Int]](repeating: [], count: (items.map(\.column).max() ?? -1) + 1)
        for item in items.indices { columns[items[item].column].append(item) }
        tops = [Double](repeating: 0, count: items.count)
        for column in columns.indices { stack(column) }
    }

    /// The upper ends of the items, rounded; the smallest is 0.
    ///
    /// The search begins with several orders and keeps the best end.
    static func tops(of graph: ColumnGraph) -> [Int] {
        var random = SplitMix64(seed: 1)
        var best: (cost: Double, placement: ColumnPlacement)?
        let attempts = graph.items.count > largeCount ? 1 : 5
        for attempt in 0..<attempts {
            var placement = ColumnPlacement(graph)
            if attempt > 0 { placement.shuffle(using: &random) }
            placement.search()
            let cost = placement.cost() + Double(placement.crossings() * crossingCost)
            if best.map({ cost < $0.cost }) ?? true { best = (cost, placement) }
        }
        return best?.placement.rounded() ?? []
    }

    private mutating func shuffle(using random: inout SplitMix64) {
        for column in columns.indices {
            columns[column].shuffle(using: &random)
            stack(column)
        }
    }

    // MARK: Search

    private mutating func search() {
        var best = (cost: cost(), columns: columns, tops: tops)
        for round in 0..<20 {
            let order = round % 2 == 0 ? Array(columns.indices) : columns.indices.reversed()
            let side: Side = round < 14 ? (round % 2 == 0 ? .left : .right) : .both
            for column in order { sort(column, side) }
            for column in order { settle(column) }
            let cost = cost()
            if cost < best.cost { best = (cost, columns, tops) }
        }
        (columns, tops) = (best.columns, best.tops)
        for _ in 0..<4 {
            var changed = false
            for column in columns.indices where exchangeNeighbours(in: column) { changed = true }
            for column in columns.indices { settle(column) }
            if !changed { break }
        }
        for round in 0..<10 {
            for column in round % 2 == 0 ? Array(columns.indices) : columns.indices.reversed() {
                settle(column)
            }
        }
    }

    private mutating func sort(_ column: Int, _ side: Side) {
        let wishes = columns[column].map { (wish(of: $0, side) + Double(items[$0].height) / 2, $0) }
        columns[column] = wishes.sorted { $0 < $1 }.map(\.1)
        settle(column, side)
    }

    /// Exchanges items that stand one above the other where lines become shorter.
    private mutating func exchangeNeighbours(in column: Int) -> Bool {
        guard columns[column].count > 1 else { return false }
        var changed = false
        var current = cost(ofColumn: column)
        for place in 0..<(columns[column].count - 1) {
            let saved = tops
            columns[column].swapAt(place, place + 1)
            settle(column)
            let cost = cost(ofColumn: column)
            if cost < current - 0.5 {
                current = cost
                changed = true
            } else {
                columns[column].swapAt(place, place + 1)
                tops = saved
            }
        }
        return changed
    }

    func gap(_ upper: Int, _ lower: Int) -> Int {
        switch (items[upper].box, items[lower].box) {
        case (nil, nil): Self.lineGap
        case (.some, .some): Self.boxGap
        default: Self.boxToLineGap
        }
    }
}
