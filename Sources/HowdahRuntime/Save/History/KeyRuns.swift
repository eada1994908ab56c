/// Keys in the order in which they were added, as runs of consecutive numbers: keys that are drawn together need
/// little memory.
struct KeyRuns: Sendable {
    private var runs: [(first: Int64, count: Int64)] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Adds a key.
    mutating func append(_ key: Int64) {
        count += 1
        if let last = runs.indices.last, runs[last].first + runs[last].count == key {
            runs[last].count += 1
        } else {
            runs.append((key, 1))
        }
    }

    /// Adds keys.
    mutating func append(contentsOf keys: some Sequence<Int64>) { for key in keys { append(key) } }

    /// Returns a test for the present keys.
    func membership() -> (Int64) -> Bool {
        let runs = runs.sorted { $0.first < $1.first }
        return { key in
            var (low, high) = (0, runs.count)
            while low < high {
                let middle = (low + high) / 2
                if runs[middle].first <= key { low = middle + 1 } else { high = middle }
            }
            return low > 0 && key < runs[low - 1].first + runs[low - 1].count
        }
    }

    /// Removes keys.
    mutating func remove(_ keys: Set<Int64>) {
        var rest = KeyRuns()
        forEach { if !keys.contains($0) { rest.append($0) } }
        self = rest
    }

    func forEach(_ body: (Int64) -> Void) {
        for run in runs { for key in run.first..<run.first + run.count { body(key) } }
    }

    /// The keys, ascending.
    var ascending: [Int64] {
        var keys: [Int64] = []
        keys.reserveCapacity(count)
        for run in runs.sorted(by: { $0.first < $1.first }) { keys += run.first..<run.first + run.count }
        return keys
    }
}
