import Foundation

/// The rates of ``ScalingRow`` as a picture: one panel per load, one line per peer.
struct ScalingChart {
    private let rows: [ScalingRow]

    private static let size = (width: 860.0, panel: 330.0, left: 70.0, right: 150.0, top: 40.0, bottom: 46.0)
    /// Colours that can be told apart on light and dark pages, also by people who see few of them.
    private static let colours = [
        "#6e7781", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6bb1",
    ]

    init(_ rows: [ScalingRow]) { self.rows = rows }

    var svg: String {
        let loads = [
            ("read", "Load one object by its key"), ("write", "Load one object, change it, save it"),
        ]
        let height = Self.size.panel * Double(loads.count)
        let panels = loads.enumerated().map { number, load in
            "<g transform=\"translate(0 \(Int(Self.size.panel) * number))\">\n"
                + panel(rows.filter { $0.place.load == load.0 }, title: load.1) + "</g>\n"
        }
        return
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(Self.size.width)) \(Int(height))\" "
            + "font-family=\"sans-serif\" font-size=\"12\" fill=\"#6e7781\">\n" + panels.joined() + "</svg>\n"
    }

    private func panel(_ rows: [ScalingRow], title: String) -> String {
        let tasks = Set(rows.map(\.place.tasks)).sorted()
        var peers: [String] = []
        for row in rows where !peers.contains(row.place.peer) { peers.append(row.place.peer) }
        let top = Self.rounded(rows.map(\.perSecond).max() ?? 1)
        let (width, height) = (
            Self.size.width - Self.size.left - Self.size.right,
            Self.size.panel - Self.size.top - Self.size.bottom
        )
        func x(_ place: Int) -> Double {
            Self.size.left + width * Double(place) / Double(max(1, tasks.count - 1))
        }
        func y(_ rate: Double) -> Double { Self.size.top + height * (1 - rate / top) }
        var text =
            "<text x=\"\(Self.size.left)\" y=\"20\" font-size=\"14\">\(title): units per second, by tasks</text>\n"
        for step in 0...4 {
            let rate = top * Double(step) / 4
            text +=
                "<line x1=\"\(Self.size.left)\" x2=\"\(Self.size.left + width)\" y1=\"\(Self.text(y(rate)))\" "
            text += "y2=\"\(Self.text(y(rate)))\" stroke=\"#6e7781\" stroke-opacity=\"0.3\"/>\n"
            text +=
                "<text x=\"\(Self.size.left - 8)\" y=\"\(Self.text(y(rate) + 4))\" text-anchor=\"end\">\(Int(rate))</text>\n"
        }
        for (place, count) in tasks.enumerated() {
            text += "<text x=\"\(Self.text(x(place)))\" y=\"\(Self.text(Self.size.top + height + 18))\" "
            text += "text-anchor=\"middle\">\(count)</text>\n"
        }
        for (number, peer) in peers.enumerated() {
            let colour = Self.colours[number % Self.colours.count]
            let points = tasks.enumerated().compactMap { place, count -> String? in
                guard let row = rows.first(where: { $0.place.peer == peer && $0.place.tasks == count }) else {
                    return nil
                }
                return "\(Self.text(x(place))),\(Self.text(y(row.perSecond)))"
            }
            let dashes = peer.hasSuffix("own") ? " stroke-dasharray=\"6 3\"" : ""
            text += "<polyline fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"\(dashes) "
            text += "points=\"\(points.joined(separator: " "))\"/>\n"
            let line = Self.size.top + 16 + Double(number) * 20
            text += "<line x1=\"\(Self.size.left + width + 14)\" x2=\"\(Self.size.left + width + 38)\" "
            text += "y1=\"\(line)\" y2=\"\(line)\" stroke=\"\(colour)\" stroke-width=\"2\"\(dashes)/>\n"
            text += "<text x=\"\(Self.size.left + width + 44)\" y=\"\(line + 4)\">\(peer)</text>\n"
        }
        return text
    }

    private static func text(_ number: Double) -> String { String(format: "%.1f", number) }

    /// A round number that is at least as large.
    private static func rounded(_ number: Double) -> Double {
        let unit = pow(10, floor(log10(max(number, 1))))
        return ([1, 2, 4, 6, 8, 10].first { $0 * unit >= number } ?? 10) * unit
    }
}
