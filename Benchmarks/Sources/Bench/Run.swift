/// One process's report of one workload.
struct Run: Decodable {
    var seconds: Double
    let count: Int
    let sum: Double
    let held: Int
    let peak: Int
    let statements: Int?
    /// The processor time of the whole client and of the server's sessions, in seconds.
    var client = 0.0
    var server = 0.0
    /// The context switches of the client.
    var switches = 0
    /// Whether the report and the database agree.
    var isRight = false

    private enum CodingKeys: String, CodingKey { case seconds, count, sum, held, peak, statements }

    func checked(_ reference: Reference, effect: Bool) -> Run {
        var run = self
        let sumIsRight = reference.sum.map { abs($0 - sum) <= abs($0) * 1e-9 + 0.01 } ?? true
        run.isRight = effect && count == reference.count && sumIsRight
        return run
    }
}
