/// The numbers that keep a list in order, with gaps so that a member fits between two others.
///
/// They are computed only from the members' present numbers. As few as possible are changed.
package enum OrderNumbers {
    /// The initial distance of neighbours.
    package static let step: Int64 = 1 << 20

    /// A member as it is in the store.
    struct Member {
        /// Its number; nil for a member that has none.
        let number: Int64?
        /// The key, which decides between equal numbers, as in the store.
        let key: Int64
    }

    /// Returns numbers for members in the new order. Those that are in order among themselves keep theirs.
    ///
    /// A moved or new member gets the middle between its neighbours. If two of them have no room in between,
    /// all members get new numbers.
    static func assigned(to members: [Member]) -> [Int64] {
        var numbers: [Int64] = []
        numbers.reserveCapacity(members.count)
        var last: Int64?
        for place in kept(members) {
            guard let number = members[place].number,
                let between = between(last, number, count: place - numbers.count)
            else { return renumbered(members.count) }
            numbers += between
            numbers.append(number)
            last = number
        }
        guard let rest = following(last, count: members.count - numbers.count) else {
            return renumbered(members.count)
        }
        return numbers + rest
    }

    /// Returns numbers at the end of a list whose last number is known; nil if the room is too small.
    static func following(_ last: Int64?, count: Int) -> [Int64]? {
        spread(from: last ?? 0, by: step, count: count)
    }

    private static func renumbered(_ count: Int) -> [Int64] { (0..<count).map { Int64($0 + 1) * step } }

    /// Returns numbers before `next`, and after `last` if it exists.
    private static func between(_ last: Int64?, _ next: Int64, count: Int) -> [Int64]? {
        if count == 0 { return [] }
        guard let last else {
            let (width, isTooWide) = step.multipliedReportingOverflow(by: Int64(count + 1))
            let (first, isTooLow) = next.subtractingReportingOverflow(width)
            return isTooWide || isTooLow ? nil : spread(from: first, by: step, count: count)
        }
        let (distance, isHuge) = next.subtractingReportingOverflow(last)
        let gap = isHuge ? step : distance / Int64(count + 1)
        return gap < 1 ? nil : spread(from: last, by: gap, count: count)
    }

    private static func spread(from start: Int64, by gap: Int64, count: Int) -> [Int64]? {
        guard count > 0 else { return [] }
        let (width, isTooWide) = gap.multipliedReportingOverflow(by: Int64(count))
        guard !isTooWide, !start.addingReportingOverflow(width).overflow else { return nil }
        return (1...count).map { start + Int64($0) * gap }
    }

    /// Returns the positions of a longest run of members with ascending numbers, which stay unchanged.
    private static func kept(_ members: [Member]) -> [Int] {
        /// The last position of the best run of each length, and the position before each in its run.
        var ends: [Int] = []
        var previous: [Int] = Array(repeating: -1, count: members.count)
        for (place, member) in members.enumerated() where member.number != nil {
            let length = ends.partitioningIndex { !members[$0].isBefore(member) }
            if length > 0 { previous[place] = ends[length - 1] }
            if length == ends.count { ends.append(place) } else { ends[length] = place }
        }
        var run: [Int] = []
        var place = ends.last ?? -1
        while place >= 0 {
            run.append(place)
            place = previous[place]
        }
        return run.reversed()
    }
}

extension OrderNumbers.Member {
    fileprivate func isBefore(_ other: Self) -> Bool {
        guard let number, let otherNumber = other.number else { return number == nil && other.number != nil }
        return (number, key) < (otherNumber, other.key)
    }
}

extension [Int] {
    /// Returns the first index whose element fulfils a condition that all later ones fulfil too.
    fileprivate func partitioningIndex(where isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
