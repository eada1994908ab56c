extension ColumnPlacement {
    /// How many pairs of lines between the same columns are in another order on the left than on the right.
    func crossings() -> Int {
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

    func cost() -> Double {
        links.reduce(0.0) { $0 + length(of: $1) }
    }

    private func length(of link: ColumnGraph.Link) -> Double {
        let distance = abs(tops[link.from] + Double(link.fromOffset) - tops[link.to] - Double(link.toOffset))
        return distance * Double(link.weight)
    }

    func cost(ofColumn column: Int) -> Double {
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
