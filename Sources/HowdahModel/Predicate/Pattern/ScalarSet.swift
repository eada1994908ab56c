/// A set of Unicode scalars, with a bitmap for those of ASCII.
struct ScalarSet: Hashable, Sendable {
    /// Sorted and disjoint.
    let ranges: [ClosedRange<UInt32>]
    private let isNegated: Bool
    private let low: UInt64
    private let high: UInt64

    init(_ ranges: [ClosedRange<UInt32>], isNegated: Bool) {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        var (low, high) = (UInt64(0), UInt64(0))
        for range in merged where range.lowerBound < 0x80 {
            for value in range.lowerBound...min(range.upperBound, 0x7F) {
                if value < 64 { low |= 1 << value } else { high |= 1 << (value - 64) }
            }
        }
        self.ranges = merged
        self.isNegated = isNegated
        self.low = isNegated ? ~low : low
        self.high = isNegated ? ~high : high
    }

    func contains(_ value: UInt32) -> Bool {
        if value < 64 { return low >> value & 1 == 1 }
        if value < 128 { return high >> (value - 64) & 1 == 1 }
        var (start, end) = (0, ranges.count)
        while start < end {
            let middle = (start + end) / 2
            if ranges[middle].upperBound < value { start = middle + 1 } else { end = middle }
        }
        return (start < ranges.count && ranges[start].lowerBound <= value) != isNegated
    }
}
