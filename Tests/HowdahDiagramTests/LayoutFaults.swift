@testable import HowdahDiagram

/// Everything in a layout that a reader could stumble over, in words.
struct LayoutFaults {
    let layout: DiagramLayout

    var all: [String] { boxes + labels + ends + passages + runs }

    /// Boxes that share space with another one or leave the drawing.
    var boxes: [String] {
        let drawing = Rectangle(x: 0, y: 0, width: layout.width, height: layout.height)
        return pairs(layout.frames) { $0.overlaps($1) ? "boxes \($0) and \($1) overlap" : nil }
            + layout.frames.filter { !drawing.contains($0) || $0.width < 1 || $0.height < 1 }
            .map { "box \($0) is outside" }
            + layout.labels.map(\.frame).filter { !drawing.contains($0) }.map { "label \($0) is outside" }
    }

    var labels: [String] {
        var result = pairs(layout.labels) {
            $0.frame.overlaps($1.frame) ? "labels \($0.text) and \($1.text) overlap at \($0.frame)" : nil
        }
        for label in layout.labels {
            for frame in layout.frames where frame.overlaps(label.frame) {
                result.append("label \(label.text) overlaps box \(frame)")
            }
            for line in layout.lines {
                for segment in segments(line) where segment.overlaps(label.frame) {
                    result.append(
                        "label \(label.text) at \(label.frame) is crossed by line \(line.connection)")
                }
            }
        }
        return result
    }

    /// Ends that are not on the border of their box, at the height of their row.
    var ends: [String] {
        var result: [String] = []
        for line in layout.lines {
            let connection = layout.content.connections[line.connection]
            for (point, end) in [(line.points.first, connection.from), (line.points.last, connection.to)] {
                let frame = layout.frames[end.box]
                guard let point, point.x == frame.x || point.x == frame.maxX else {
                    result.append("line \(line.connection) does not end at the border of \(end.box)")
                    continue
                }
                let middle = frame.y + BoxMetrics.middle(ofRow: end.row, in: layout.content.boxes[end.box])
                if abs(point.y - middle) > (end.row == nil ? 6 : 0) {
                    result.append("line \(line.connection) does not end at its row of \(end.box)")
                }
            }
            for (first, second) in zip(line.points, line.points.dropFirst())
            where (first.x == second.x) == (first.y == second.y) {
                result.append("line \(line.connection) is slanted or stands still")
            }
        }
        return result
    }

    /// Lines that run through boxes.
    var passages: [String] {
        layout.lines.flatMap { line in
            segments(line).flatMap { segment in
                layout.frames.filter { $0.overlaps(segment) }.map {
                    "line \(line.connection) runs through \($0)"
                }
            }
        }
    }

    /// Lines that run on top of one another and do not lead to the same superentity.
    var runs: [String] {
        pairs(layout.lines) { first, second in
            let connections = (
                layout.content.connections[first.connection], layout.content.connections[second.connection]
            )
            if connections.0.kind == .inheritance, connections.1.kind == .inheritance,
                connections.0.to == connections.1.to
            {
                return nil
            }
            for a in segments(first) {
                for b in segments(second) where a.isWide == b.isWide && a.overlaps(b) {
                    return "lines \(first.connection) and \(second.connection) run together at \(a)"
                }
            }
            return nil
        }
    }

    /// How often lines cross.
    var crossings: Int {
        pairs(layout.lines) { first, second in
            let count = segments(first).reduce(0) { sum, a in
                sum + segments(second).filter { $0.isWide != a.isWide && $0.overlaps(a) }.count
            }
            return count > 0 ? count : nil
        }.reduce(0, +)
    }

    /// The pieces of a line, as thin rectangles.
    private func segments(_ line: DiagramLayout.Line) -> [Rectangle] {
        zip(line.points, line.points.dropFirst()).map { a, b in
            Rectangle(
                x: min(a.x, b.x), y: min(a.y, b.y), width: max(1, abs(a.x - b.x)),
                height: max(1, abs(a.y - b.y))
            )
            .shortened
        }
    }

    private func pairs<Element, Fault>(_ list: [Element], _ check: (Element, Element) -> Fault?) -> [Fault] {
        list.indices.flatMap { first in
            list.indices.dropFirst(first + 1).compactMap { check(list[first], list[$0]) }
        }
    }
}

extension Rectangle {
    fileprivate var isWide: Bool { width > height }

    /// Without the corners, where a line may touch what it belongs to.
    fileprivate var shortened: Rectangle {
        isWide
            ? Rectangle(x: x + 1, y: y, width: width - 1, height: 1)
            : Rectangle(x: x, y: y + 1, width: 1, height: height - 1)
    }

    fileprivate func contains(_ other: Rectangle) -> Bool {
        x <= other.x && y <= other.y && other.maxX <= maxX && other.maxY <= maxY
    }
}
