/// The heaviest increasing subsequence of distinct numbers.
enum IncreasingRun {
    /// Returns the positions of the numbers that form the heaviest increasing subsequence, ascending.
    ///
    /// It costs n log n, and n if all are increasing.
    static func heaviest(_ numbers: [(number: Int, weight: Int)]) -> [Int] {
        guard zip(numbers, numbers.dropFirst()).contains(where: { $0.number > $1.number }) else {
            return Array(numbers.indices)
        }
        let order = numbers.indices.sorted { numbers[$0].number < numbers[$1].number }
        var rank = [Int](repeating: 0, count: numbers.count)
        for (place, index) in order.enumerated() { rank[index] = place + 1 }
        // A Fenwick tree of the best end of a subsequence among the lowest ranks.
        var best = [(weight: Int, end: Int)](repeating: (0, -1), count: numbers.count + 1)
        var former = [Int](repeating: -1, count: numbers.count)
        var (heaviest, last) = (0, -1)
        for index in numbers.indices {
            var found = (weight: 0, end: -1)
            var place = rank[index] - 1
            while place > 0 {
                if best[place].weight > found.weight { found = best[place] }
                place -= place & -place
            }
            former[index] = found.end
            let weight = found.weight + numbers[index].weight
            if weight > heaviest { (heaviest, last) = (weight, index) }
            place = rank[index]
            while place <= numbers.count {
                if weight > best[place].weight { best[place] = (weight, index) }
                place += place & -place
            }
        }
        var run: [Int] = []
        while last >= 0 {
            run.append(last)
            last = former[last]
        }
        return run.reversed()
    }
}
