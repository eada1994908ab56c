/// The space between two columns, where lines go up and down on tracks of their own.
struct Channel {
    /// What is joined by one vertical line: the heights at which it is entered from the left and from the right.
    struct Net: Equatable {
        var left: [Int] = []
        var right: [Int] = []

        var top: Int { min(left.min() ?? .max, right.min() ?? .max) }
        var bottom: Int { max(left.max() ?? .min, right.max() ?? .min) }
        /// Whether a horizontal line is all that is needed.
        var isStraight: Bool { top == bottom }
    }

    /// Two lines that are nearer than this cannot be told from one another.
    private static let clearance = 5
    /// More than all crossings of a channel together.
    private static let conflictCost = 100_000

    /// The track of each net, from left to right; nil for a straight one.
    let tracks: [Int?]
    let trackCount: Int
    /// A height on the right at which lines run on top of one another in any order; nil for none.
    let conflict: Int?

    init(_ nets: [Net]) {
        let turning = nets.indices.filter { !nets[$0].isStraight }
        let chosen = turning.map { nets[$0] }
        let costs = Self.costs(chosen)
        var tracks = [Int?](repeating: nil, count: nets.count)
        var ordered: [Int] = []
        var conflict: Int?
        for next in Self.order(chosen, costs) {
            // Beside everything it meets, or whose order matters; on the same track as anything else.
            var track = 0
            for earlier in ordered
            where Self.meet(chosen[earlier], chosen[next], costs[earlier][next], costs[next][earlier]) {
                track = max(track, (tracks[turning[earlier]] ?? 0) + 1)
            }
            for earlier in ordered where conflict == nil && costs[earlier][next] >= Self.conflictCost {
                conflict = Self.meeting(chosen[earlier], chosen[next])
            }
            tracks[turning[next]] = track
            ordered.append(next)
        }
        self.tracks = tracks
        self.conflict = conflict
        trackCount = (tracks.compactMap(\.self).max() ?? -1) + 1
    }

    private static func meet(_ first: Net, _ second: Net, _ before: Int, _ after: Int) -> Bool {
        before != after || (first.top - 7 < second.bottom && second.top - 7 < first.bottom)
    }

    /// Where the left one of two nets leaves at about the height at which the right one enters.
    private static func meeting(_ left: Net, _ right: Net) -> Int? {
        left.right.first { height in right.left.contains { abs($0 - height) < clearance } }
    }

    /// `costs[a][b]` is what it costs to have `a` to the left of `b`: crossings, and lines on top of one another.
    private static func costs(_ nets: [Net]) -> [[Int]] {
        let spans = nets.map { (top: $0.top, bottom: $0.bottom) }
        return nets.indices.map { a in
            nets.indices.map { b in
                guard a != b else { return 0 }
                var cost = 0
                for y in nets[a].right where y > spans[b].top && y < spans[b].bottom { cost += 2 }
                for y in nets[b].left where y > spans[a].top && y < spans[a].bottom { cost += 2 }
                for y in nets[a].right {
                    for other in nets[b].left where abs(y - other) < clearance { cost += conflictCost }
                }
                return cost
            }
        }
    }

    /// An order of little cost: each net in turn is taken out and put where it costs least.
    private static func order(_ nets: [Net], _ costs: [[Int]]) -> [Int] {
        var order = nets.indices.sorted { (nets[$0].top, $0) > (nets[$1].top, $1) }
        for _ in 0..<6 {
            var changed = false
            for net in nets.indices {
                guard let old = order.firstIndex(of: net) else { continue }
                order.remove(at: old)
                var cost = order.reduce(0) { $0 + costs[net][$1] }
                var best = (cost: cost, place: 0)
                var current = old == 0 ? cost : 0
                for place in order.indices {
                    cost += costs[order[place]][net] - costs[net][order[place]]
                    if place + 1 == old { current = cost }
                    if cost < best.cost { best = (cost, place + 1) }
                }
                let place = best.cost < current ? best.place : old
                if place != old { changed = true }
                order.insert(net, at: place)
            }
            if !changed { break }
        }
        return order
    }
}
