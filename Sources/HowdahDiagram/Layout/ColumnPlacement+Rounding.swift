extension ColumnPlacement {
    /// The upper ends as whole numbers, without overlap; the smallest is 0.
    func rounded() -> [Int] {
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
}
