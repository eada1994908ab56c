/// The rows of a result in their order, divided into sections. Each row is there once.
struct ResultList<Row: Hashable> {
    struct Section {
        var name: String
        var rows: [Row]
    }

    var sections: [Section]

    var count: Int { sections.reduce(0) { $0 + $1.rows.count } }

    var rows: [Row] { sections.flatMap(\.rows) }

    /// Creates a list without sections, which is one section without a name.
    init(rows: [Row] = []) { sections = [Section(name: "", rows: rows)] }

    /// Creates a list with a section for each run of rows with one name.
    init(rows: some Sequence<(row: Row, name: String)>) {
        sections = []
        for (row, name) in rows {
            // Bytes, because texts that only look alike have other places in the order.
            if let last = sections.last, last.name.utf8.elementsEqual(name.utf8) {
                sections[sections.count - 1].rows.append(row)
            } else {
                sections.append(Section(name: name, rows: [row]))
            }
        }
    }

    /// Changes the list as a difference says.
    mutating func apply(_ difference: ResultDifference<Row>) {
        var removed: [[Int]] = sections.map { _ in [] }
        var arriving: [(row: Row, place: ResultIndexPath)] = []
        for change in difference.rows {
            if let place = change.former, change.isRemoval { removed[place.section].append(place.row) }
            if let place = change.present, change.isArrival { arriving.append((change.row, place)) }
        }
        for (section, rows) in removed.enumerated() {
            for row in rows.sorted(by: >) { sections[section].rows.remove(at: row) }
        }
        var (deleted, inserted): ([Int], [(name: String, place: Int)]) = ([], [])
        for change in difference.sections {
            switch change {
            case .delete(_, let place): deleted.append(place)
            case .insert(let name, let place): inserted.append((name, place))
            }
        }
        for place in deleted.sorted(by: >) { sections.remove(at: place) }
        for (name, place) in inserted.sorted(by: { $0.place < $1.place }) {
            sections.insert(Section(name: name, rows: []), at: place)
        }
        for (row, place) in arriving.sorted(by: { $0.place < $1.place }) {
            sections[place.section].rows.insert(row, at: place.row)
        }
    }
}

extension ResultList: Sendable where Row: Sendable {}
extension ResultList.Section: Sendable where Row: Sendable {}

extension ResultList: Equatable {
    static func == (one: Self, other: Self) -> Bool {
        one.sections.elementsEqual(other.sections) {
            $0.name.utf8.elementsEqual($1.name.utf8) && $0.rows == $1.rows
        }
    }
}
