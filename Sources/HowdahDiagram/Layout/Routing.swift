/// The ways of a component's lines through the channels between its columns.
struct Routing {
    /// The parts of a channel beside the columns, where labels are and no line turns.
    struct LabelMargins {
        var left = 0
        var right = 0
    }

    /// One passage through a channel.
    private struct Passage {
        var channel: Int
        var net: Int
        var from: Int
        var to: Int
    }

    private struct NetKey: Hashable {
        var channel: Int
        /// The connection, or the superentity whose lines run together.
        var owner: Int
        var isInheritance: Bool
        var isRight: Bool
    }

    private let graph: ColumnGraph
    private let tops: [Int]
    private let boxes: [EntityBox]
    private let columnCount: Int
    private var passages: [[Passage]] = []
    private var nets: [[Channel.Net]]
    private var numbers: [NetKey: Int] = [:]
    /// The sides at which boxes have lines from subentities and to a superentity: box * 2, plus 1 on the right.
    private var superSides: Set<Int> = []
    private var subSides: Set<Int> = []
    private(set) var labelMargins: [LabelMargins]
    private(set) var channels: [Channel] = []

    init(graph: ColumnGraph, tops: [Int], boxes: [EntityBox], connections: [Connection]) {
        self.graph = graph
        self.tops = tops
        self.boxes = boxes
        columnCount = (graph.items.map(\.column).max() ?? 0) + 1
        nets = [[Channel.Net]](repeating: [], count: columnCount + 1)
        labelMargins = (0...columnCount).map { [columnCount] in
            $0 == 0 || $0 == columnCount ? LabelMargins() : LabelMargins(left: 14, right: 14)
        }
        for (place, connection) in connections.enumerated() where connection.kind == .inheritance {
            let sides = sides(of: place)
            subSides.insert(connection.from.box * 2 + (sides.from ? 1 : 0))
            superSides.insert(connection.to.box * 2 + (sides.to ? 1 : 0))
        }
        for (place, connection) in connections.enumerated() { route(connection, place) }
        channels = nets.map(Channel.init)
    }

    /// Where two lines run on top of one another.
    var conflict: ColumnGraph.Place? {
        for (column, channel) in channels.enumerated() {
            if let height = channel.conflict { return ColumnGraph.Place(column: column, height: height) }
        }
        return nil
    }

    // MARK: Sides

    /// Whether the connection's ends are on the right of their boxes.
    private func sides(of place: Int) -> (from: Bool, to: Bool) {
        let columns = graph.chains[place].map { graph.items[$0].column }
        guard let first = columns.first, let last = columns.last, first != last else {
            let isRight = turnsRight(inColumn: columns.first ?? 0)
            return (isRight, isRight)
        }
        return (first < last, last < first)
    }

    /// Lines within a column go around on the outside where the column is an outer one.
    private func turnsRight(inColumn column: Int) -> Bool { column > 0 || columnCount == 1 }

    private func height(of end: Connection.End, _ kind: Connection.Kind, isRight: Bool, isSuper: Bool) -> Int
    {
        var offset = BoxMetrics.middle(ofRow: end.row, in: boxes[end.box])
        let side = end.box * 2 + (isRight ? 1 : 0)
        if kind == .inheritance, superSides.contains(side), subSides.contains(side) {
            offset += isSuper ? -6 : 6
        }
        return tops[end.box] + offset
    }

    // MARK: Ways

    private mutating func route(_ connection: Connection, _ place: Int) {
        let chain = graph.chains[place]
        let sides = sides(of: place)
        let ends = (
            height(of: connection.from, connection.kind, isRight: sides.from, isSuper: false),
            height(of: connection.to, connection.kind, isRight: sides.to, isSuper: true)
        )
        var way: [Passage] = []
        for step in 0..<(chain.count - 1) {
            let columns = (graph.items[chain[step]].column, graph.items[chain[step + 1]].column)
            let from = step == 0 ? ends.0 : tops[chain[step]]
            let to = step + 2 == chain.count ? ends.1 : tops[chain[step + 1]]
            let isLevel = columns.0 == columns.1
            let channel = isLevel ? columns.0 + (sides.from ? 1 : 0) : max(columns.0, columns.1)
            let isInheritance = connection.kind == .inheritance
            let key = NetKey(
                channel: channel, owner: isInheritance ? connection.to.box : place,
                isInheritance: isInheritance,
                isRight: isInheritance && sides.to)
            let net = numbers[key] ?? nets[channel].count
            if numbers.updateValue(net, forKey: key) == nil { nets[channel].append(Channel.Net()) }
            enter(channel, net, at: from, fromLeft: isLevel ? sides.from : columns.0 < columns.1)
            enter(channel, net, at: to, fromLeft: isLevel ? sides.from : columns.1 < columns.0)
            way.append(Passage(channel: channel, net: net, from: from, to: to))
        }
        passages.append(way)
        widenGutter(for: connection.from, way.first, isRight: sides.from, connection.kind)
        widenGutter(for: connection.to, way.last, isRight: sides.to, connection.kind)
    }

    private mutating func enter(_ channel: Int, _ net: Int, at height: Int, fromLeft: Bool) {
        if fromLeft {
            if !nets[channel][net].left.contains(height) { nets[channel][net].left.append(height) }
        } else {
            if !nets[channel][net].right.contains(height) { nets[channel][net].right.append(height) }
        }
    }

    private mutating func widenGutter(
        for end: Connection.End, _ passage: Passage?, isRight: Bool, _ kind: Connection.Kind
    ) {
        guard let channel = passage?.channel else { return }
        let length = LineMetrics.stubLength(end, kind)
        if isRight {
            labelMargins[channel].left = max(labelMargins[channel].left, length)
        } else {
            labelMargins[channel].right = max(labelMargins[channel].right, length)
        }
    }

    /// The corners of a connection's line, from border to border.
    func points(of place: Int, frames: [Rectangle], rulers: ColumnRulers) -> [Point] {
        let chain = graph.chains[place]
        let way = passages[place]
        let sides = sides(of: place)
        let (from, to) = (frames[chain[0]], frames[chain[chain.count - 1]])
        var result = [Point(x: sides.from ? from.maxX : from.x, y: way[0].from)]
        for passage in way {
            guard let track = channels[passage.channel].tracks[passage.net] else { continue }
            let x = rulers.x(ofTrack: track, in: passage.channel)
            for y in [passage.from, passage.to] where result[result.count - 1] != Point(x: x, y: y) {
                result.append(Point(x: x, y: y))
            }
        }
        result.append(Point(x: sides.to ? to.maxX : to.x, y: way[way.count - 1].to))
        return Self.withoutPassedPoints(result)
    }

    /// Leaves out points at which a line does not turn.
    private static func withoutPassedPoints(_ points: [Point]) -> [Point] {
        var result: [Point] = []
        for point in points {
            while result.count > 1 {
                let (a, b) = (result[result.count - 2], result[result.count - 1])
                guard (a.x == b.x && b.x == point.x) || (a.y == b.y && b.y == point.y) else { break }
                result.removeLast()
            }
            result.append(point)
        }
        return result
    }
}
