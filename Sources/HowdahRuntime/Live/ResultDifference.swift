/// The changes that make one list of another: of sections, and of rows.
///
/// Places of removals are those in the former list, and places of arrivals those in the present one. As few rows as
/// possible move, and of these the changed ones.
struct ResultDifference<Row: Hashable> {
    /// The change of one row.
    enum Change {
        case delete(Row, at: ResultIndexPath)
        case insert(Row, at: ResultIndexPath)
        case move(Row, from: ResultIndexPath, to: ResultIndexPath)
        /// A row that changed and keeps its place among the rows that stay.
        case update(Row, from: ResultIndexPath, to: ResultIndexPath)
    }

    /// The change of one section.
    enum SectionChange: Hashable, Sendable {
        case delete(String, at: Int)
        case insert(String, at: Int)
    }

    private(set) var rows: [Change] = []
    private(set) var sections: [SectionChange] = []

    var isEmpty: Bool { rows.isEmpty && sections.isEmpty }

    /// Creates a difference of known changes.
    init(rows: [Change], sections: [SectionChange]) {
        self.rows = rows
        self.sections = sections
    }

    /// Compares two lists.
    ///
    /// - Parameter changed: The rows with other values than before.
    init(from old: ResultList<Row>, to new: ResultList<Row>, changed: Set<Row> = []) {
        let kept = Self.keptSections(old, new)
        let formerSections = Set(kept.compactMap(\.self))
        for (place, section) in old.sections.enumerated() where !formerSections.contains(place) {
            sections.append(.delete(section.name, at: place))
        }
        for (place, section) in new.sections.enumerated() where kept[place] == nil {
            sections.append(.insert(section.name, at: place))
        }
        // Equal rows at both ends of a section stay, and are looked at no further.
        var trims = new.sections.map { _ in (0, 0) }
        var formerTrims = old.sections.map { _ in (0, 0) }
        for (place, former) in kept.enumerated() {
            guard let former else { continue }
            let trim = Self.commonEnds(old.sections[former].rows, new.sections[place].rows)
            trims[place] = trim
            formerTrims[former] = trim
        }
        var places: [Row: ResultIndexPath] = [:]
        for (section, trim) in formerTrims.enumerated() {
            let rows = old.sections[section].rows
            for row in trim.0..<(rows.count - trim.1) {
                places[rows[row]] = ResultIndexPath(section: section, row: row)
            }
        }
        var arrivals: [Change] = []
        for (section, former) in kept.enumerated() {
            let (rows, trim) = (new.sections[section].rows, trims[section])
            let middle = trim.0..<(rows.count - trim.1)
            let staying = Self.staying(rows[middle], of: former, places, changed)
            let shift = former.map { old.sections[$0].rows.count - rows.count } ?? 0
            for place in rows.indices {
                let (row, present) = (rows[place], ResultIndexPath(section: section, row: place))
                if !middle.contains(place) {
                    guard let former, changed.contains(row) else { continue }
                    let place = place < trim.0 ? place : place + shift
                    arrivals.append(
                        .update(row, from: ResultIndexPath(section: former, row: place), to: present))
                } else if let place = places.removeValue(forKey: row) {
                    if !staying.contains(row) {
                        arrivals.append(.move(row, from: place, to: present))
                    } else if changed.contains(row) {
                        arrivals.append(.update(row, from: place, to: present))
                    }
                } else {
                    arrivals.append(.insert(row, at: present))
                }
            }
        }
        rows =
            places.sorted { $0.value < $1.value }.map { Change.delete($0.key, at: $0.value) } + arrivals
    }

    /// Returns the position in the old list of each section of the new one; nil for a section that arrives.
    private static func keptSections(_ old: ResultList<Row>, _ new: ResultList<Row>) -> [Int?] {
        let places = Dictionary(
            old.sections.enumerated().map { (Array($1.name.utf8), $0) },
            uniquingKeysWith: { first, _ in first })
        var known: Set<Int> = []
        let found = new.sections.map { section in
            places[Array(section.name.utf8)].flatMap { known.insert($0).inserted ? $0 : nil }
        }
        let common = found.enumerated().compactMap { place, former in former.map { (place, $0) } }
        let staying = IncreasingRun.heaviest(common.map { ($0.1, 1) })
        var kept: [Int?] = found.map { _ in nil }
        for place in staying { kept[common[place].0] = common[place].1 }
        return kept
    }

    /// Returns the number of equal rows at the beginning and at the end.
    private static func commonEnds(_ old: [Row], _ new: [Row]) -> (Int, Int) {
        let most = min(old.count, new.count)
        var (first, last) = (0, 0)
        while first < most, old[first] == new[first] { first += 1 }
        while last < most - first, old[old.count - 1 - last] == new[new.count - 1 - last] { last += 1 }
        return (first, last)
    }

    /// Returns the rows that keep their order, as many as possible, and unchanged ones first.
    private static func staying(
        _ rows: ArraySlice<Row>, of former: Int?, _ places: [Row: ResultIndexPath], _ changed: Set<Row>
    ) -> Set<Row> {
        guard let former else { return [] }
        let common = rows.compactMap { row -> (Row, Int)? in
            guard let place = places[row], place.section == former else { return nil }
            return (row, place.row)
        }
        let weighed = common.map { ($0.1, changed.contains($0.0) ? 1 : common.count + 1) }
        return Set(IncreasingRun.heaviest(weighed).map { common[$0].0 })
    }
}

extension ResultDifference: Sendable where Row: Sendable {}
extension ResultDifference.Change: Sendable where Row: Sendable {}
extension ResultDifference.Change: Equatable {}

extension ResultDifference.Change {
    var row: Row {
        switch self {
        case .delete(let row, _), .insert(let row, _), .move(let row, _, _), .update(let row, _, _): row
        }
    }

    /// The place in the former list.
    var former: ResultIndexPath? {
        switch self {
        case .delete(_, let place), .move(_, let place, _), .update(_, let place, _): place
        case .insert: nil
        }
    }

    /// The place in the present list.
    var present: ResultIndexPath? {
        switch self {
        case .insert(_, let place), .move(_, _, let place), .update(_, _, let place): place
        case .delete: nil
        }
    }

    var isRemoval: Bool {
        switch self {
        case .delete, .move: true
        case .insert, .update: false
        }
    }

    var isArrival: Bool {
        switch self {
        case .insert, .move: true
        case .delete, .update: false
        }
    }
}
