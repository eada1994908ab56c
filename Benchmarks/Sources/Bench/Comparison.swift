import Foundation

/// Lets two versions of Howdah take turns at each workload, with the limit beside them.
struct Comparison {
    private let measurement: Measurement
    private let former: String

    /// - Parameter former: the other version's `HowdahBench`.
    init(server: Server, workloads: [Workload], rounds: Int, former: String) throws {
        self.former = former
        try server.makeTemplate(Self.formerTemplate, program: former)
        // In a comparison each side has a processor of its own.
        measurement = Measurement(
            server: server, workloads: workloads.filter { !$0.isPinned }, peers: [], rounds: rounds)
    }

    /// Two versions may make different tables.
    private static let formerTemplate = "bench_template_former"

    /// How often a workload is measured again that seems to differ.
    private static let repetitions = 3

    private struct Pair {
        let now: Peer
        let before: Peer
    }

    func run() throws -> [Contrast] {
        let pairs = [("typed", Peer.howdah), ("dynamic", .dynamic)].map { kind, now in
            Pair(now: now, before: .former(former, kind, template: Self.formerTemplate))
        }
        let opening = try pairs.map { pair in
            try (now: counts("make", 0, pair.now), before: counts("make", 0, pair.before))
        }
        return try measurement.workloads.flatMap { workload in
            let reference = try Reference(measurement.server, workload)
            var contrasts = try pairs.enumerated().map { place, pair in
                Contrast(
                    workload: workload, peer: pair.now.name,
                    before: try side(workload, pair.before, opening[place].before),
                    now: try side(workload, pair.now, opening[place].now), limit: ([], []))
            }
            try measure(workload, pairs, reference, &contrasts)
            // What looks like a difference is measured again: more runs only bring the best ones nearer to the true cost.
            for _ in 0..<Self.repetitions where contrasts.contains(where: { $0.verdict != .same }) {
                try measure(workload, pairs, reference, &contrasts)
            }
            FileHandle.standardError.write(Data("\(workload.name) done\n".utf8))
            return contrasts
        }
    }

    /// All versions in each round; every other round goes backwards, so that none always follows the same one.
    private func measure(
        _ workload: Workload, _ pairs: [Pair], _ reference: Reference, _ contrasts: inout [Contrast]
    ) throws {
        for round in 0..<measurement.rounds {
            let first = try measurement.one(workload, .limit, reference).seconds
            let places = round.isMultiple(of: 2) ? Array(pairs.indices) : pairs.indices.reversed()
            for place in places {
                for isNow in round.isMultiple(of: 2) ? [false, true] : [true, false] {
                    let peer = isNow ? pairs[place].now : pairs[place].before
                    let run = try measurement.one(workload, peer, reference)
                    if isNow {
                        contrasts[place].now.runs.append(run)
                    } else {
                        contrasts[place].before.runs.append(run)
                    }
                }
            }
            let second = try measurement.one(workload, .limit, reference).seconds
            for place in contrasts.indices {
                contrasts[place].limit.first.append(round.isMultiple(of: 2) ? first : second)
                contrasts[place].limit.second.append(round.isMultiple(of: 2) ? second : first)
            }
        }
    }

    /// What a version sends and allocates, in runs that are not timed.
    private func side(_ workload: Workload, _ peer: Peer, _ opening: Counts?) throws -> Contrast.Side {
        let statements = try measurement.statements(workload, peer)
        var counted = try counts(workload.program, workload.n, peer, copies: workload.writes)
        // A cold start includes the opening of its store.
        if workload.name != "W9", let opening { counted = counted.map { $0 - opening } }
        return Contrast.Side(runs: [], statements: statements, counts: counted)
    }

    private func counts(_ workload: String, _ n: Int, _ peer: Peer, copies: Bool = false) throws -> Counts? {
        let count: (String) throws -> Counts? = { database in
            try Counts.of(try peer.arguments(measurement.server, workload, database, n))
        }
        return copies ? try measurement.server.withCopy(of: peer.template, count) : try count(peer.template)
    }
}
