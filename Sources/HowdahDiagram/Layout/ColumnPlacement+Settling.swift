extension ColumnPlacement {
    mutating func stack(_ column: Int) {
        var top = 0
        for (place, item) in columns[column].enumerated() {
            if place > 0 { top += gap(columns[column][place - 1], item) }
            tops[item] = Double(top)
            top += items[item].height
        }
    }

    /// Where the item's lines would be straight on the average; where it is now without lines on that side.
    func wish(of item: Int, _ side: Side) -> Double {
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
    mutating func settle(_ column: Int, _ side: Side = .both) {
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
}
