import Foundation

/// Results as text for people and as JSON for programs.
struct ResultTable {
    private let results: [Result]

    init(_ results: [Result]) { self.results = results }

    var text: String {
        var lines = [
            row(
                "", "peer", "best ms", "median", "ratio", "must", "goal", "client", "server", "switches",
                "statements",
                "held MB", "peak MB",
                "check")
        ]
        var previous = ""
        for result in results {
            let isOwn = result.peer == "howdah"
            if result.workload.name != previous {
                lines.append("\(result.workload.name)  \(result.workload.title)")
                previous = result.workload.name
            }
            lines.append(
                row(
                    "", result.peer, number(result.best * 1000), number(result.median * 1000),
                    number(result.ratio),
                    isOwn
                        ? number(result.workload.must) + (result.ratio <= result.workload.must ? "" : " !")
                        : "",
                    isOwn
                        ? number(result.workload.goal) + (result.ratio <= result.workload.goal ? " *" : "")
                        : "",
                    number(result.client), number(result.server), String(result.switches),
                    result.statements.map(String.init) ?? "", result.held > 0 ? number(result.held) : "",
                    result.peak > 0 ? number(result.peak) : "", result.isRight ? "ok" : "FAIL"))
        }
        lines.append(
            "ratio: best time divided by the limit's best; ! misses must, * meets goal; client, server: "
                + "milliseconds of the processor, of whole processes; switches: context switches of the client"
        )
        return lines.joined(separator: "\n")
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let lines = results.compactMap { result -> String? in
            let line = Line(
                workload: result.workload.name, peer: result.peer, seconds: result.best,
                median: result.median,
                ratio: result.ratio, ok: result.isRight, clientSeconds: result.client / 1_000,
                serverSeconds: result.server / 1_000, switches: result.switches,
                statements: result.statements,
                heldMegabytes: result.held > 0 ? result.held : nil,
                peakMegabytes: result.peak > 0 ? result.peak : nil)
            return (try? encoder.encode(line)).map { String(decoding: $0, as: UTF8.self) }
        }
        return "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    }

    private struct Line: Encodable {
        let workload: String
        let peer: String
        let seconds: Double
        let median: Double
        let ratio: Double
        let ok: Bool
        let clientSeconds: Double
        let serverSeconds: Double
        let switches: Int
        let statements: Int?
        /// Left out where they were not measured.
        let heldMegabytes: Double?
        let peakMegabytes: Double?
    }

    private func number(_ value: Double) -> String {
        value >= 100
            ? String(format: "%.0f", value)
            : value >= 10
                ? String(format: "%.1f", value) : String(format: "%.2f", value)
    }

    private func row(_ cells: String...) -> String {
        let widths = [2, 14, 9, 9, 7, 7, 7, 8, 8, 9, 11, 8, 8, 6]
        return zip(cells, widths).enumerated().map { column, pair in
            let padding = String(repeating: " ", count: max(0, pair.1 - pair.0.count))
            return column < 2 ? pair.0 + padding : padding + pair.0
        }
        .joined(separator: " ")
    }
}
