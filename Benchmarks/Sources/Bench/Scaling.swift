import Foundation

/// Small units of work by 1 to 64 tasks with pools of 1 to 32 connections, beside pgbench with the same statements.
struct Scaling {
    private let server: Server
    private let rounds: Int
    private let units: Int

    private static let tasks = [1, 2, 4, 8, 16, 32, 64]
    private static let pools = [1, 4, 8, 32]
    /// A queue that is far longer than the pool, with the default pool and without pgbench.
    private static let queued = 10_000
    /// The pools for tasks that run on the container's threads: one for each of two cores, a small one, the default, and
    /// a large one.
    private static let ownPools = [2, 4, 8, 32]

    init(_ server: Server, rounds: Int, units: Int) {
        self.server = server
        self.rounds = rounds
        self.units = units
    }

    /// Measures all rows, and keeps the best round of each.
    func run() throws -> [ScalingRow] {
        var best: [ScalingRow.Place: ScalingRow] = [:]
        let pgbench = try Pgbench(server)
        for round in 0..<rounds {
            for load in ["read", "write"] {
                try server.withCopy { database in
                    for tasks in Self.tasks + [Self.queued] {
                        for place in places(load, tasks) {
                            let row =
                                place.pool == 0
                                ? try pgbench.run(place, units, database) : try howdah(place, database)
                            if row.perSecond > best[place]?.perSecond ?? 0 { best[place] = row }
                        }
                    }
                }
            }
            FileHandle.standardError.write(Data("round \(round + 1) done\n".utf8))
        }
        return ["read", "write"].flatMap { load in
            (Self.tasks + [Self.queued]).flatMap { tasks in places(load, tasks).compactMap { best[$0] } }
        }
    }

    private func places(_ load: String, _ tasks: Int) -> [ScalingRow.Place] {
        if tasks == Self.queued {
            return [false, true].map { ScalingRow.Place(load: load, tasks: tasks, pool: 8, isOwn: $0) }
        }
        return [ScalingRow.Place(load: load, tasks: tasks, pool: 0, isOwn: false)]
            + Self.pools.map { ScalingRow.Place(load: load, tasks: tasks, pool: $0, isOwn: false) }
            + Self.ownPools.map { ScalingRow.Place(load: load, tasks: tasks, pool: $0, isOwn: true) }
    }

    private func howdah(_ place: ScalingRow.Place, _ database: String) throws -> ScalingRow {
        let arguments = [
            Peer.sibling("HowdahBench"), "typed", "scaling-\(place.load)", server.url(database),
            String(max(units, place.tasks)),
            String(place.tasks), String(place.pool),
        ]
        let child = try ChildProgram.run(arguments + (place.isOwn ? ["own"] : []))
        let report = try JSONDecoder().decode(Report.self, from: Data(child.output.utf8))
        return ScalingRow(
            place: place, perSecond: Double(report.units) / report.seconds, p50: report.p50, p99: report.p99,
            longest: report.longest)
    }

    private struct Report: Decodable {
        let seconds: Double
        let units: Int
        let p50: Double
        let p99: Double
        let longest: Double
    }
}
