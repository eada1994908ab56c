/// Classes of scalars that a program does not distinguish.
struct ScalarClasses: Sendable {
    /// The first scalar of each class but the first one, sorted.
    private let bounds: [UInt32]
    private let ascii: [Int]

    init(_ program: PatternProgram) {
        var bounds: Set<UInt32> = []
        for case .scalar(let value) in program.instructions {
            bounds.insert(value)
            bounds.insert(value + 1)
        }
        for range in program.sets.flatMap(\.ranges) {
            bounds.insert(range.lowerBound)
            bounds.insert(range.upperBound + 1)
        }
        bounds.remove(0)
        let sorted = bounds.sorted()
        self.bounds = sorted
        var (ascii, number) = ([Int](), 0)
        ascii.reserveCapacity(0x80)
        for value in UInt32(0)..<0x80 {
            if number < sorted.count, sorted[number] == value { number += 1 }
            ascii.append(number)
        }
        self.ascii = ascii
    }

    var count: Int { bounds.count + 1 }

    /// Returns the number of the scalar's class.
    subscript(value: UInt32) -> Int {
        if value < 0x80 { return ascii[Int(value)] }
        var (start, end) = (0, bounds.count)
        while start < end {
            let middle = (start + end) / 2
            if bounds[middle] <= value { start = middle + 1 } else { end = middle }
        }
        return start
    }
}
