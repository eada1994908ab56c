/// One workload in two versions of Howdah, measured in the same rounds.
struct Contrast {
    enum Verdict { case same, faster, slower }

    /// What one version did.
    struct Side {
        var runs: [Run]
        var statements: Int?
        var counts: Counts?

        /// Noise only ever adds: the best run is nearest to the true cost.
        var best: Double { runs.map(\.seconds).min() ?? 0 }
    }

    let workload: Workload
    let peer: String
    var before: Side
    var now: Side
    /// The seconds of the limit's two turns in each of the same rounds.
    var limit: (first: [Double], second: [Double])

    /// How much longer the present version takes, as a part of the former one's time.
    var change: Double { now.best / before.best - 1 }

    /// How far the limit lies from itself, measured as two versions are: nothing smaller can be told from noise.
    var spread: Double {
        guard let first = limit.first.min(), let second = limit.second.min() else { return 0 }
        return max(first, second) / min(first, second) - 1
    }

    var verdict: Verdict {
        let least = max(0.05, spread)
        // A gain is measured as a loss of the other version.
        if change > least { return .slower }
        return before.best / now.best - 1 > least ? .faster : .same
    }

    var isRight: Bool { (before.runs + now.runs).allSatisfy(\.isRight) }
}
