/// Gives each box of a connected component its column, so that most lines lead from one column to the next and no
/// column is much higher than the others.
struct ColumnAssignment {
    struct Edge: Equatable {
        var from: Int
        var to: Int
        var isInheritance: Bool
    }

    private let heights: [Int]
    private let edges: [Edge]
    /// The edges of each box, by number.
    private let edgesOfBox: [[Int]]
    /// The height that a column should not exceed.
    private let limit: Int
    private let count: Int
    private var columns: [Int]
    private var loads: [Int]

    /// The columns of the boxes with these heights; none of the columns from 0 to the largest is empty.
    static func columns(heights: [Int], edges: [Edge], averageWidth: Int) -> [Int] {
        var best: (cost: Int, columns: [Int])?
        let start = ColumnAssignment(heights: heights, edges: edges, averageWidth: averageWidth)
        for order in start.searchOrders() {
            var candidate = start
            candidate.fill(order)
            candidate.improve()
            let cost = candidate.cost()
            if best.map({ cost < $0.cost }) ?? true { best = (cost, candidate.columns) }
        }
        return withoutEmptyColumns(best?.columns ?? [])
    }

    private init(heights: [Int], edges: [Edge], averageWidth: Int) {
        self.heights = heights.map { $0 + ColumnPlacement.boxGap }
        self.edges = edges.filter { $0.from != $0.to }
        var edgesOfBox = [[Int]](repeating: [], count: heights.count)
        for (number, edge) in self.edges.enumerated() {
            edgesOfBox[edge.from].append(number)
            edgesOfBox[edge.to].append(number)
        }
        self.edgesOfBox = edgesOfBox
        let total = self.heights.reduce(0, +)
        let pitch = averageWidth + 40 + 5 * self.edges.count
        // The drawing should become half as wide again as it is high.
        var wanted = 1
        while (wanted + 1) * (wanted + 1) * min(pitch, averageWidth + 160) * 2 <= total * 3 + pitch * 8 {
            wanted += 1
        }
        count = max(1, min(heights.count, max(wanted, 2)))
        limit = max(self.heights.max() ?? 0, total * 11 / (10 * count))
        columns = [Int](repeating: 0, count: heights.count)
        loads = [Int](repeating: 0, count: count)
    }

    // MARK: Start

    /// Boxes in breadth-first order, from the box that is farthest from the first one and from the one with most lines.
    private func searchOrders() -> [[Int]] {
        guard !heights.isEmpty else { return [] }
        let hub = heights.indices.max { (edgesOfBox[$0].count, $1) < (edgesOfBox[$1].count, $0) } ?? 0
        let far = breadthFirst(from: 0).last ?? 0
        let farther = breadthFirst(from: far).last ?? 0
        return [far, farther, hub].map(breadthFirst)
    }

    private func breadthFirst(from start: Int) -> [Int] {
        var order = [start]
        var seen = [Bool](repeating: false, count: heights.count)
        seen[start] = true
        var next = 0
        while next < order.count {
            let box = order[next]
            next += 1
            for number in edgesOfBox[box] {
                let other = edges[number].from == box ? edges[number].to : edges[number].from
                guard !seen[other] else { continue }
                seen[other] = true
                order.append(other)
            }
        }
        return order
    }

    private mutating func fill(_ order: [Int]) {
        var column = 0
        for box in order {
            if loads[column] > 0, loads[column] + heights[box] > limit, column < count - 1 { column += 1 }
            columns[box] = column
            loads[column] += heights[box]
        }
    }

    // MARK: Search

    /// Moves single boxes and exchanges pairs as long as that makes the drawing better.
    ///
    /// There are too many pairs to try among more than some 150 boxes.
    private mutating func improve() {
        let exchanged = heights.count > 150 ? 0..<0 : heights.indices
        for _ in 0..<8 {
            var changed = false
            for box in heights.indices where moveToBest(box) { changed = true }
            for first in exchanged {
                for second in heights.indices.dropFirst(first + 1) where exchange(first, second) {
                    changed = true
                }
            }
            if !changed { return }
        }
    }

    private mutating func moveToBest(_ box: Int) -> Bool {
        let old = columns[box]
        var best = (cost: localCost(box) + overflow(old), column: old)
        let base = overflow(old)
        for column in 0..<count where column != old {
            move(box, to: column)
            let change = overflow(old) + overflow(column)
            move(box, to: old)
            let before = base + overflow(column)
            columns[box] = column
            let cost = localCost(box) + base + change - before
            columns[box] = old
            if cost < best.cost { best = (cost, column) }
        }
        guard best.column != old else { return false }
        move(box, to: best.column)
        return true
    }

    private mutating func exchange(_ first: Int, _ second: Int) -> Bool {
        let (a, b) = (columns[first], columns[second])
        guard a != b else { return false }
        let before = localCost(first) + localCost(second) + overflow(a) + overflow(b)
        move(first, to: b)
        move(second, to: a)
        if localCost(first) + localCost(second) + overflow(a) + overflow(b) < before { return true }
        move(first, to: a)
        move(second, to: b)
        return false
    }

    private mutating func move(_ box: Int, to column: Int) {
        loads[columns[box]] -= heights[box]
        loads[column] += heights[box]
        columns[box] = column
    }

    // MARK: Cost

    private func cost() -> Int {
        edges.reduce(0) { $0 + cost(of: $1) } + (0..<count).reduce(0) { $0 + overflow($1) }
    }

    private func localCost(_ box: Int) -> Int {
        var sum = 0
        for number in edgesOfBox[box] { sum += cost(of: edges[number]) }
        return sum
    }

    /// A line between neighbours costs 3, one within a column has to turn, a longer one runs between other boxes;
    /// subentities are expected on the right.
    private func cost(of edge: Edge) -> Int {
        let distance = columns[edge.from] - columns[edge.to]
        let span = abs(distance)
        let direction = edge.isInheritance ? (distance > 0 ? 0 : 2) : 0
        return direction + (span == 0 ? 5 : 3 + 4 * (span - 1))
    }

    private func overflow(_ column: Int) -> Int {
        let excess = max(0, loads[column] - limit)
        return excess * excess / 3_600
    }

    private static func withoutEmptyColumns(_ columns: [Int]) -> [Int] {
        let used = Set(columns).sorted()
        return columns.map { column in used.firstIndex(of: column) ?? 0 }
    }
}
