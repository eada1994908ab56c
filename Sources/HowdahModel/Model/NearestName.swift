/// Finds the name that somebody probably meant.
package enum NearestName {
    /// The candidate with the smallest edit distance to `name`, where that is small enough to be a slip.
    package static func of(_ name: String, among candidates: [String]) -> String? {
        let scored = candidates.map { ($0, distance(Array(name.lowercased()), Array($0.lowercased()))) }
        guard let best = scored.min(by: { $0.1 < $1.1 }), best.1 <= max(2, name.count / 2) else { return nil }
        return best.0
    }

    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
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
