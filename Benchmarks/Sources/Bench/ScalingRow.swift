import Foundation

/// The rate and the latencies of one number of tasks with one number of connections.
struct ScalingRow: Encodable {
    struct Place: Hashable, Encodable {
        /// `read` or `write`.
        let load: String
        let tasks: Int
        /// The connections; 0 for pgbench, which has one for each of its clients.
        let pool: Int
        /// Whether the tasks run on the container's threads.
        let isOwn: Bool

        var peer: String { pool == 0 ? "pgbench" : "pool \(pool)\(isOwn ? ", own" : "")" }
    }

    let place: Place
    let perSecond: Double
    /// Milliseconds.
    let p50: Double
    let p99: Double
    let longest: Double

    /// One table per load: a line for each number of tasks, a column for each peer.
    static func table(_ rows: [ScalingRow]) -> String {
        var lines: [String] = []
        for load in ["read", "write"] {
            let own = rows.filter { $0.place.load == load }
            var peers: [String] = []
            for row in own where !peers.contains(row.place.peer) { peers.append(row.place.peer) }
            lines.append("\(load): units per second (p50/p99/longest in ms)")
            lines.append((["tasks"] + peers).map { cell($0) }.joined())
            for tasks in Set(own.map(\.place.tasks)).sorted() {
                let cells = peers.map { peer -> String in
                    guard let row = own.first(where: { $0.place.peer == peer && $0.place.tasks == tasks })
                    else {
                        return ""
                    }
                    return String(
                        format: "%.0f (%.2f/%.2f/%.1f)", row.perSecond, row.p50, row.p99, row.longest)
                }
                lines.append(([String(tasks)] + cells).map { cell($0) }.joined())
            }
            lines.append("")
        }
        return lines.joined(separator: "\n")
    }

    private static func cell(_ text: String) -> String {
        text.padding(toLength: max(28, text.count + 1), withPad: " ", startingAt: 0)
    }
}
