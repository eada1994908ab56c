/// All runs of one workload by one peer.
struct Result {
    let workload: Workload
    let peer: String
    let runs: [Run]
    let statements: Int?
    /// The best time of the limit in the same rounds.
    let limit: Double

    /// Noise only ever adds: the best run is nearest to the true cost.
    var best: Double { runs.map(\.seconds).min() ?? 0 }
    var median: Double { runs.map(\.seconds).sorted()[runs.count / 2] }
    var ratio: Double { best / limit }
    /// The processor time of the run that used least, in milliseconds.
    var client: Double { (runs.map(\.client).min() ?? 0) * 1_000 }
    var server: Double { (runs.map(\.server).min() ?? 0) * 1_000 }
    var switches: Int { runs.map(\.switches).min() ?? 0 }
    var isRight: Bool {
        runs.allSatisfy(\.isRight) && statements ?? 0 <= workload.mostStatements ?? .max
    }
    /// Megabytes.
    var held: Double { Double(runs.map(\.held).min() ?? 0) / 1024 }
    var peak: Double { Double(runs.map(\.peak).min() ?? 0) / 1024 }
}
