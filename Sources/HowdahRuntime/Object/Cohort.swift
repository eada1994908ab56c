/// The rows that arrived together: when one of them needs something, all of them get it in one query.
///
/// Holds keys, never objects, so that nothing stays alive because of it.
final class Cohort {
    /// The most owners one step covers.
    static let stepLimit = 1_000

    /// The place of the root entity the keys belong to.
    let root: Int
    private(set) var keys: [Int64]
    /// The most owners one step covers here.
    let stepLimit: Int
    /// What the objects hold that are partial.
    let part: PartialRow?
    /// What stands behind the statements that fill the objects, to say whose they are.
    let comment: String
    private var positions: [Int64: Int] = [:]
    /// The cohorts of destinations, by the entity and slot that lead to them.
    var destinations: [DestinationKey: Cohort] = [:]

    struct DestinationKey: Hashable {
        let entity: Int
        let slot: Int
    }

    init(
        root: Int, keys: [Int64], stepping limit: Int = Cohort.stepLimit, part: PartialRow? = nil,
        comment: String = ""
    ) {
        self.comment = comment
        stepLimit = limit
        self.part = part
        self.root = root
        self.keys = keys
    }

    deinit { Remains.release(&destinations) }

    /// Adds keys that are not in yet.
    func insert(_ more: some Sequence<Int64>) {
        indexIfNeeded()
        for key in more where positions[key] == nil {
            positions[key] = keys.count
            keys.append(key)
        }
    }

    /// The keys to try for one step, beginning at `key` and going round.
    func keys(from key: Int64) -> (ArraySlice<Int64>, ArraySlice<Int64>) {
        indexIfNeeded()
        guard let start = positions[key] else { return ([key], []) }
        return (keys[start...], keys[..<start])
    }

    func contains(_ key: Int64) -> Bool {
        indexIfNeeded()
        return positions[key] != nil
    }

    private func indexIfNeeded() {
        guard positions.count != keys.count else { return }
        positions.reserveCapacity(keys.count)
        for (index, key) in keys.enumerated() where positions[key] == nil { positions[key] = index }
        // A key that came twice would make the counts differ for ever, and every look-up linear.
        if positions.count != keys.count {
            keys = keys.enumerated().filter { positions[$1] == $0 }.map(\.1)
            for (index, key) in keys.enumerated() { positions[key] = index }
        }
    }
}
