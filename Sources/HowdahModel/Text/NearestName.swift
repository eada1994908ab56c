/// Finds the name that somebody probably meant.
package enum NearestName {
    /// The candidate with the smallest edit distance to `name`, where that is small enough to be a slip.
    ///
    /// At most half of the longer one's letters differ, unless they are the same in another order: of names of one or
    /// two letters any other would be near.
    package static func of(_ name: String, among candidates: [String]) -> String? {
        let letters = Array(name.lowercased())
        let scored = candidates.compactMap { candidate -> (String, Int)? in
            let others = Array(candidate.lowercased())
            let distance = distance(letters, others)
            let isSlip =
                2 * distance <= max(letters.count, others.count) || letters.sorted() == others.sorted()
            return isSlip && distance <= max(2, letters.count / 2) ? (candidate, distance) : nil
        }
        return scored.min(by: { $0.1 < $1.1 })?.0
    }

    /// The number of letters to be changed, added or removed.
    package static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var row = Array(0...right.count)
        for (i, a) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in right.enumerated() {
                let substitution = diagonal + (a == b ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substitution, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[right.count]
    }
}
