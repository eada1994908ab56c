/// The places that the members of a list had when they were numbered, and where these are after others were removed.
///
/// A binary indexed tree of the removed ones: each step takes the logarithm of their number.
struct ShiftedPlaces {
    /// At n, how many of the `n & -n` places that end with the nth were removed; the first element is not used.
    private var tree: [Int32]

    init(count: Int) { tree = Array(repeating: 0, count: count + 1) }

    /// Adds a place at the end, and returns its number.
    mutating func append() -> Int {
        let end = tree.count
        tree.append(
            Int32(truncatingIfNeeded: removed(before: end - 1) - removed(before: end - (end & -end))))
        return end - 1
    }

    /// Removes the place with a number.
    mutating func remove(_ number: Int) {
        var position = number + 1
        while position < tree.count {
            tree[position] += 1
            position += position & -position
        }
    }

    /// Where the place with a number is, if nothing but removals happened.
    func place(of number: Int) -> Int { number - removed(before: number) }

    /// How many of the first places were removed.
    private func removed(before number: Int) -> Int {
        var (position, sum) = (number, 0)
        while position > 0 {
            sum += Int(tree[position])
            position -= position & -position
        }
        return sum
    }
}
