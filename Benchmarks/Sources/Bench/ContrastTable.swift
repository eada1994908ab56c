import Foundation

/// Two versions side by side, as text.
struct ContrastTable {
    let contrasts: [Contrast]
    /// What the former version is called.
    let former: String

    var text: String {
        var lines = [
            row(
                "", "peer", "before ms", "now ms", "change", "spread", "statements", "round trips",
                "allocations",
                "verdict")
        ]
        var previous = ""
        for contrast in contrasts {
            if contrast.workload.name != previous {
                lines.append("\(contrast.workload.name)  \(contrast.workload.title)")
                previous = contrast.workload.name
            }
            lines.append(
                row(
                    "", contrast.peer, milliseconds(contrast.before.best), milliseconds(contrast.now.best),
                    percent(contrast.change), percent(contrast.spread),
                    pair(contrast.before.statements, contrast.now.statements),
                    pair(contrast.before.counts?.roundTrips, contrast.now.counts?.roundTrips),
                    pair(contrast.before.counts?.allocations, contrast.now.counts?.allocations),
                    verdict(contrast)))
        }
        let slower = contrasts.count { $0.verdict == .slower }
        lines.append(
            "slower, faster: by more than 5 % of the best time and by more than the spread. The spread is the difference "
                + "between the limit's best times in its two turns of each round. In each pair, \(former) is first."
        )
        lines.append(slower == 0 ? "Nothing is slower than \(former)." : "Slower than \(former): \(slower).")
        return lines.joined(separator: "\n")
    }

    private func verdict(_ contrast: Contrast) -> String {
        if !contrast.isRight { return "FAIL" }
        return switch contrast.verdict {
        case .same: "same"
        case .faster: "faster"
        case .slower: "SLOWER"
        }
    }

    private func pair(_ before: Int?, _ now: Int?) -> String {
        guard let before, let now else { return "" }
        return before == now ? "\(now)" : "\(before) > \(now)"
    }

    private func milliseconds(_ seconds: Double) -> String { String(format: "%.2f", seconds * 1_000) }

    private func percent(_ part: Double) -> String { String(format: "%+.1f %%", part * 100) }

    private func row(_ cells: String...) -> String {
        let widths = [2, 14, 10, 10, 8, 8, 13, 13, 19, 7]
        return zip(cells, widths).enumerated().map { column, pair in
            let padding = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
            return column < 2 ? pair.0 + padding : padding + pair.0
        }
        .joined(separator: " ")
    }
}
