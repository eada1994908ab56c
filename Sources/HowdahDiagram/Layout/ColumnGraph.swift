/// A connected component after its boxes have columns: lines that pass a column have an item there, which keeps a
/// place for them between the boxes.
struct ColumnGraph {
    struct Item {
        var column: Int
        var height: Int
        /// The box by its number in the component; nil for a line that passes.
        var box: Int?
    }

    /// A pull between two items, from a height inside the one to a height inside the other.
    struct Link {
        var from: Int
        var fromOffset: Int
        var to: Int
        var toOffset: Int
        var weight: Int
    }

    /// A height in a column.
    struct Place {
        var column: Int
        var height: Int
    }

    private(set) var items: [Item]
    private(set) var links: [Link] = []
    /// The items that each connection visits, from its first box to its last.
    private(set) var chains: [[Int]] = []

    private var sharedItems: [SharedKey: Int] = [:]
    private var sharedLinks: Set<LinkKey> = []

    /// Lines to one superentity from the same side run together.
    private struct SharedKey: Hashable {
        var superentity: Int
        var isRight: Bool
        var column: Int
    }

    private struct LinkKey: Hashable {
        var from: Int
        var to: Int
    }

    init(boxes: [EntityBox], heights: [Int], columns: [Int], connections: [Connection]) {
        items = boxes.indices.map { Item(column: columns[$0], height: heights[$0], box: $0) }
        for connection in connections {
            chains.append(chain(of: connection, columns: columns))
            addLinks(of: connection, boxes: boxes)
        }
    }

    /// Moves what is at the place, and everything below it in the column, a little down.
    func shift(from place: Place, _ tops: inout [Int]) {
        for (number, item) in items.enumerated()
        where item.column == place.column && tops[number] + item.height >= place.height {
            tops[number] += 6
        }
    }

    private mutating func chain(of connection: Connection, columns: [Int]) -> [Int] {
        let (from, to) = (connection.from.box, connection.to.box)
        var result = [from]
        let step = columns[from] < columns[to] ? 1 : -1
        var column = columns[from] + step
        while columns[from] != columns[to], column != columns[to] {
            let key = SharedKey(superentity: to, isRight: step < 0, column: column)
            if connection.kind == .inheritance, let shared = sharedItems[key] {
                result.append(shared)
            } else {
                items.append(Item(column: column, height: 0, box: nil))
                result.append(items.count - 1)
                if connection.kind == .inheritance { sharedItems[key] = items.count - 1 }
            }
            column += step
        }
        result.append(to)
        return result
    }

    private mutating func addLinks(of connection: Connection, boxes: [EntityBox]) {
        let chain = chains[chains.count - 1]
        let last = chain.count - 1
        for step in 0..<last {
            let (from, to) = (chain[step], chain[step + 1])
            if connection.kind == .inheritance, !sharedLinks.insert(LinkKey(from: from, to: to)).inserted {
                continue
            }
            let fromOffset =
                step == 0 ? BoxMetrics.middle(ofRow: connection.from.row, in: boxes[connection.from.box]) : 0
            let toOffset =
                step + 1 == last
                ? BoxMetrics.middle(ofRow: connection.to.row, in: boxes[connection.to.box]) : 0
            // Long lines should be straight where nothing but lines is beside them.
            let weight = (step > 0 ? 3 : 1) * (step + 1 < last ? 3 : 1)
            links.append(
                Link(from: from, fromOffset: fromOffset, to: to, toOffset: toOffset, weight: weight))
        }
    }
}
