/// Finds the order of the items in their columns and their heights, so that lines are short and straight.
struct ColumnPlacement {
    static let boxGap = 26
    private static let lineGap = 10
    /// How much longer lines may become where they cross once less.
    private static let crossingCost = 150
    private static let boxToLineGap = 13

    private struct Pull {
        var other: Int
        var ownOffset: Int
        var otherOffset: Int
        var weight: Int
    }

    private enum Side { case left, right, both }

    private let items: [ColumnGraph.Item]
    private let links: [ColumnGraph.Link]
    private let pulls: [[Pull]]
    private var columns: [[Int]]
    /// The upper end of each item.
    private(set) var tops: [Double]

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
        var random = SplitMix(seed: 1)
        var best: (cost: Double, placement: ColumnPlacement)?
        for attempt in 0..<5 {
            var placement = ColumnPlacement(graph)
            if attempt > 0 { placement.shuffle(using: &random) }
            placement.search()
            let cost = placement.cost() + Double(placement.crossings() * crossingCost)
            if best.map({ cost < $0.cost }) ?? true { best = (cost, placement) }
        }
        return best?.placement.rounded() ?? []
    }

    private mutating func shuffle(using random: inout SplitMix) {
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

    // MARK: Places

    private mutating func stack(_ column: Int) {
        var top = 0
        for (place, item) in columns[column].enumerated() {
            if place > 0 { top += gap(columns[column][place - 1], item) }
            tops[item] = Double(top)
            top += items[item].height
        }
    }

    /// Where the item's lines would be straight on the average; where it is now without lines on that side.
    private func wish(of item: Int, _ side: Side) -> Double {
        var (sum, weights) = (0.0, 0)
        let column = items[item].column
        for pull in pulls[item] {
            let other = items[pull.other].column
            guard side == .both || other == column || (other < column) == (side == .left) else { continue }
            sum += Double(pull.weight) * (tops[pull.other] + Double(pull.otherOffset - pull.ownOffset))
            weights += pull.weight
        }
        return weights == 0 ? tops[item] : sum / Double(weights)
    }

    /// Puts a column's items as near to their wishes as their order and distances allow, by least squares: items
    /// that would overlap form a block, which stands at the mean of its members' wishes.
    private mutating func settle(_ column: Int, _ side: Side = .both) {
        var blocks: [(sum: Double, weight: Double, first: Int)] = []
        let order = columns[column]
        var offsets: [Double] = []
        offsets.reserveCapacity(order.count)
        for (place, item) in order.enumerated() {
            let before =
                place == 0
                ? 0
                : offsets[place - 1] + Double(items[order[place - 1]].height + gap(order[place - 1], item))
            offsets.append(before)
            let weight = Double(max(1, pulls[item].count))
            blocks.append(((wish(of: item, side) - before) * weight, weight, place))
            while blocks.count > 1 {
                let (upper, lower) = (blocks[blocks.count - 2], blocks[blocks.count - 1])
                guard upper.sum / upper.weight > lower.sum / lower.weight else { break }
                blocks.removeLast(2)
                blocks.append((upper.sum + lower.sum, upper.weight + lower.weight, upper.first))
            }
        }
        for (number, block) in blocks.enumerated() {
            let end = number + 1 < blocks.count ? blocks[number + 1].first : order.count
            for place in block.first..<end { tops[order[place]] = block.sum / block.weight + offsets[place] }
        }
    }

    private func gap(_ upper: Int, _ lower: Int) -> Int {
        switch (items[upper].box, items[lower].box) {
        case (nil, nil): Self.lineGap
        case (.some, .some): Self.boxGap
        default: Self.boxToLineGap
        }
    }

    private func rounded() -> [Int] {
        var result = tops.map { Int($0.rounded()) }
        for order in columns {
            for (upper, lower) in zip(order, order.dropFirst()) {
                result[lower] = max(result[lower], result[upper] + items[upper].height + gap(upper, lower))
            }
        }
        straighten(&result)
        let top = result.min() ?? 0
        return result.map { $0 - top }
    }

    /// Moves items by a few units where that makes a line straight, has room, and bends no other.
    private func straighten(_ tops: inout [Int]) {
        for order in columns {
            for (place, item) in order.enumerated() {
                let bends = pulls[item].map { tops[$0.other] + $0.otherOffset - tops[item] - $0.ownOffset }
                guard !bends.contains(0), let bend = bends.min(by: { abs($0) < abs($1) }), abs(bend) <= 8
                else {
                    continue
                }
                let top = tops[item] + bend
                if place > 0 {
                    let upper = order[place - 1]
                    if top < tops[upper] + items[upper].height + gap(upper, item) { continue }
                }
                if place + 1 < order.count {
                    let lower = order[place + 1]
                    if top + items[item].height + gap(item, lower) > tops[lower] { continue }
                }
                tops[item] = top
            }
        }
    }

    // MARK: Cost

    /// How many pairs of lines between the same columns are in another order on the left than on the right.
    private func crossings() -> Int {
        var byColumn = [[(left: Double, right: Double)]](repeating: [], count: columns.count)
        for link in links {
            let (from, to) = (items[link.from].column, items[link.to].column)
            guard from != to else { continue }
            let ends = (tops[link.from] + Double(link.fromOffset), tops[link.to] + Double(link.toOffset))
            byColumn[min(from, to)].append(from < to ? (ends.0, ends.1) : (ends.1, ends.0))
        }
        var count = 0
        for lines in byColumn {
            for first in lines.indices {
                for second in 0..<first
                where (lines[first].left - lines[second].left) * (lines[first].right - lines[second].right)
                    < 0
                {
                    count += 1
                }
            }
        }
        return count
    }

    private func cost() -> Double {
        links.reduce(0.0) { $0 + length(of: $1) }
    }

    private func length(of link: ColumnGraph.Link) -> Double {
        let distance = abs(tops[link.from] + Double(link.fromOffset) - tops[link.to] - Double(link.toOffset))
        return distance * Double(link.weight)
    }

    private func cost(ofColumn column: Int) -> Double {
        var sum = 0.0
        for item in columns[column] {
            for pull in pulls[item] {
                let distance =
                    tops[item] + Double(pull.ownOffset) - tops[pull.other] - Double(pull.otherOffset)
                sum += abs(distance) * Double(pull.weight)
            }
        }
        return sum
    }
}
