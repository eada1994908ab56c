import Foundation
import Howdah

/// Small units of work of many tasks at once, each with its own latency.
struct ScalingRun: Encodable {
    /// What each unit does.
    enum Load: String {
        /// Loads one object by its key.
        case read
        /// Loads one object, changes it, and saves it.
        case write
    }

    private var seconds = 0.0
    private var units = 0
    /// Milliseconds.
    private var p50 = 0.0
    private var p99 = 0.0
    private var longest = 0.0

    /// - Parameter isOwn: Whether the tasks run on the container's threads.
    init(
        _ url: String, _ model: ManagedObjectModel, _ load: Load, units total: Int, tasks: Int, pool: Int,
        isOwn: Bool
    ) async throws {
        var options = StoreOptions()
        options.maximumConnections = pool
        options.connectionWait = .seconds(120)
        let container = try await PersistentContainer.open(url, model: model, options: options)
        container.statementLog.stop()
        let ids = try await container.perform { context in
            var request = FetchRequest<Employee>()
            request.includesPropertyValues = false
            return try context.fetch(request).map(\.objectID)
        }
        _ = try await Self.run(container, load, ids, tasks: pool * 2, each: 5, step: 0)
        let each = max(1, total / tasks)
        let start = ContinuousClock.now
        let latencies = try await withTaskExecutorPreference(isOwn ? container.taskExecutor : nil) {
            try await Self.run(container, load, ids, tasks: tasks, each: each, step: 1)
        }
        seconds = (ContinuousClock.now - start) / .seconds(1)
        let sorted = latencies.sorted()
        units = sorted.count
        p50 = sorted[units / 2]
        p99 = sorted[min(units - 1, units * 99 / 100)]
        longest = sorted[units - 1]
    }

    private static func run(
        _ container: PersistentContainer, _ load: Load, _ ids: [ObjectID<Employee>], tasks: Int, each: Int,
        step: Int
    ) async throws -> [Double] {
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var own: [Double] = []
                    own.reserveCapacity(each)
                    var state = UInt64(task + 1) &* 0x9E37_79B9_7F4A_7C15
                    for _ in 0..<each {
                        state ^= state << 13
                        state ^= state >> 7
                        state ^= state << 17
                        let start = ContinuousClock.now
                        try await unit(container, load, ids[Int(state % UInt64(ids.count))], step)
                        own.append((ContinuousClock.now - start) / .milliseconds(1))
                    }
                    return own
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private static func unit(
        _ container: PersistentContainer, _ load: Load, _ id: ObjectID<Employee>, _ step: Int
    ) async throws {
        switch load {
        case .read: _ = try await container.perform { try $0.existingObject(with: id).visits }
        case .write:
            try await container.perform(retrying: .conflicts(upTo: 1_000)) { context in
                let employee = try context.existingObject(with: id)
                employee.visits += step
                try context.save()
            }
        }
    }
}
