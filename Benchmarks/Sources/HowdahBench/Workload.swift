import Howdah

/// One piece of work, measured from a warm connection on; what it counts and adds up is checked by the driver.
protocol Workload: Sendable {
    /// Runs the workload `name` with `n` objects; nil where there is no such workload.
    func run(_ name: String, _ container: PersistentContainer, _ n: Int) async throws -> Outcome?
}

extension Workload {
    /// Times `body`, which returns a count and a sum.
    func timed(_ body: () async throws -> (Int, Double)) async rethrows -> Outcome {
        let start = ContinuousClock.now
        let (count, sum) = try await body()
        let duration = ContinuousClock.now - start
        return Outcome(seconds: duration / .seconds(1), count: count, sum: sum)
    }
}
