/// The numbered positions of a list's members, and their present positions after removals.
///
/// It is a binary indexed tree of the removed ones: each step takes the logarithm of their number.
struct ShiftedPlaces {
    /// At n, the number of removed ones in the `n & -n` positions that end with the nth; the first element is
    /// unused.
    private var tree: [Int32]

    init(count: Int) { tree = Array(repeating: 0, count: count + 1) }

    /// Adds a position at the end, and returns its number.
    mutating func append() -> Int {
        let end = tree.count
        tree.append(
            Int32(truncatingIfNeeded: removed(before: end - 1) - removed(before: end - (end & -end))))
        return end - 1
    }

    /// Removes the position with a number.
    mutating func remove(_ number: Int) {
        var position = number + 1
        while position < tree.count {
            tree[position] += 1
            position += position & -position
        }
    }

    /// Returns the present position of a number, if there were only removals.
    func place(of number: Int) -> Int { number - removed(before: number) }

    /// Returns the number of removed ones in the first positions.
    private func removed(before number: Int) -> Int {
        var (position, sum) = (number, 0)
        while position > 0 {
            sum += Int(tree[position])
            position -= position & -position
        }
        return sum
    }
}
