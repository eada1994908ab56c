/// The rows of one fetch result: if one of them needs a value, one query loads it for all.
///
/// It has keys, never objects, so it keeps no object alive.
final class Cohort {
    /// The maximum number of owners in one step.
    static let stepLimit = 1_000

    /// The position of the keys' root entity.
    let root: Int
    private(set) var keys: [Int64]
    /// The maximum number of owners in one step here.
    let stepLimit: Int
    /// The loaded part of partial objects.
    let part: PartialRow?
    /// The text after the statements that fill the objects, which says which code sent them.
    let comment: String
    /// The comment of the request that the objects come from, also by way of relationships; for observers.
    let site: String
    /// The relationship by which the objects were reached; nil if a request returned them.
    let origin: DestinationKey?
    private var positions: [Int64: Int] = [:]
    /// The cohorts of destinations, by the entity and slot that refer to them.
    var destinations: [DestinationKey: Cohort] = [:]

    struct DestinationKey: Hashable {
        let entity: Int
        let slot: Int
    }

    init(
        root: Int, keys: [Int64], stepping limit: Int = Cohort.stepLimit, part: PartialRow? = nil,
        comment: String = "", site: String = "", reachedBy origin: DestinationKey? = nil
    ) {
        self.comment = comment
        self.site = comment.isEmpty ? site : comment
        self.origin = origin
        stepLimit = limit
        self.part = part
        self.root = root
        self.keys = keys
    }

    deinit { DeferredReleases.release(&destinations) }

    /// Adds keys that it does not have yet.
    func insert(_ more: some Sequence<Int64>) {
        indexIfNeeded()
        for key in more where positions[key] == nil {
            positions[key] = keys.count
            keys.append(key)
        }
    }

    /// Returns the keys to try for one step, beginning at `key` and wrapping around.
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
