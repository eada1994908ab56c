/// The limits of a preview of a deletion, and the number of rows that it may still read.
struct PreviewBounds {
    /// The number of rows that are left; nil for any number.
    private var left: Int?
    private let end: ContinuousClock.Instant?
    /// A Boolean value that indicates whether rows were left out.
    private(set) var isReached = false

    /// Creates bounds that no preview reaches.
    init() { (left, end) = (nil, nil) }

    init(_ limit: Int, _ time: Duration) { (left, end) = (limit, .now + time) }

    /// The number of rows that the next statement reads: one more shows that there are more.
    var limit: Int? { left.map { $0 + 1 } }

    /// Ends the preview if its time is over.
    mutating func checkTime() {
        if let end, ContinuousClock.now >= end { isReached = true }
    }

    /// Returns the number of the rows of a statement that count.
    mutating func take(_ count: Int) -> Int {
        guard let left else { return count }
        if count > left { isReached = true }
        let taken = min(count, left)
        self.left = left - taken
        return taken
    }
}
