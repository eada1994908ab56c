import Foundation
import Howdah

extension MixedWorker {
    /// Rows of nobody, so that a fetch of all is one of many rows.
    static func addBystanders(to container: PersistentContainer) async throws {
        let rows = (0..<1_500).map {
            ["token": UUID(), "owner": -1, "value": $0] as [String: (any Sendable)?]
        }
        try await container.insert(into: ManagedObject.self, entityName: "Alpha", from: rows)
    }

    /// A worker after its last unit.
    struct Outcome: Sendable {
        let worker: MixedWorker
        /// The first wrong answer, which ended its work.
        let failure: String?
    }

    /// Each worker runs that many units, beside the others.
    static func run(_ workers: [MixedWorker], _ units: Int) async -> [Outcome] {
        await withTaskGroup(of: Outcome.self) { group in
            for worker in workers {
                group.addTask {
                    var worker = worker
                    do {
                        for _ in 0..<units { try await worker.step() }
                        return Outcome(worker: worker, failure: nil)
                    } catch {
                        return Outcome(worker: worker, failure: "\(error)")
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }
}
