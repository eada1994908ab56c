import Howdah
import Logging
import TestSupport

/// A process whose tasks change workers at random until it is killed.
struct Crew {
    let url: String
    let seed: UInt64

    func run() async throws {
        var options = StoreOptions()
        options.maximumConnections = 3
        options.logger.logLevel = .critical
        options.keepsHistory = false
        let container = try await PersistentContainer.open(url, model: RandomWorkers.model, options: options)
        container.transactionAuthor = "crew \(seed)"
        await withTaskGroup { group in
            for number in 0..<3 {
                group.addTask { await RandomWorkers.work(in: container, seed: seed &* 31 &+ UInt64(number)) }
            }
        }
    }
}
