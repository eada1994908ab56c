import Foundation
import Howdah

/// One unit of work of a soak.
struct SoakUnit: Sendable {
    let container: PersistentContainer
    let handles: [BackgroundContext]
    let action: SoakAction
    let timeout: Duration?
    let token: UUID

    /// Runs it.
    ///
    /// - Parameter saved: taken when a save that stands alone has returned.
    nonisolated(nonsending) func run(_ saved: Once) async throws {
        let token = token
        switch action {
        case .insert(let count, let place):
            try await perform(place) { context in
                Self.insert(count, token, context)
                try context.save()
                _ = saved.take()
            }
        case .update(let count, let policy, let place):
            try await perform(place) { context in
                try Self.change(count, context)
                context.mergePolicy = MergePolicy(merge: policy)
                defer { context.mergePolicy = .error }
                Self.insert(1, token, context)
                try context.save()
                _ = saved.take()
            }
        case .read(let place):
            try await perform(place) { context in
                let people = try context.fetch("Person", sortedBy: .key("name"), limit: 50)
                for person in people { _ = person["visits"] }
                _ = try context.count(for: FetchRequest<ManagedObject>(entityName: "Person"))
            }
        case .transaction(let isolation, let saves, let place):
            try await perform(place, isolation: isolation) { context in
                for _ in 0..<saves {
                    Self.insert(1, token, context)
                    try context.save()
                    _ = try context.fetch("Person", limit: 3)
                }
            }
        case .ownSQL:
            try await container.perform(isolation: .readCommitted, timeout: timeout) { context in
                Self.insert(1, token, context)
                try context.save()
                _ = try context.fetchRows(
                    Int64.self, sql: "UPDATE entry SET number = 7 WHERE token = \(token) RETURNING number")
            }
        case .stream(let count, let pause):
            try await container.insert(
                into: ManagedObject.self, entityName: "Entry",
                from: SlowRows(token: token, count: count, pause: pause))
        case .batchUpdate:
            try await container.perform(
                isolation: .readCommitted, retrying: .conflicts(upTo: 5), timeout: timeout
            ) { context in
                Self.insert(1, token, context)
                try context.save()
                var request = FetchRequest<ManagedObject>(entityName: "Person")
                request.predicate = .format("name BEGINSWITH %@", "person 1")
                try context.execute(BatchUpdateRequest(request, set: ["visits": .increment(by: 1)]))
            }
        }
    }

    private nonisolated(nonsending) func perform(
        _ place: SoakAction.Place, isolation: Isolation? = nil,
        _ body: @escaping @Sendable (ManagedObjectContext) throws -> Void
    ) async throws {
        switch place {
        case .once:
            let policy = isolation == nil ? RetryPolicy.never : .conflicts(upTo: 10)
            try await container.perform(isolation: isolation, retrying: policy, timeout: timeout, body)
        case .shared(let number):
            try await handles[number].perform(isolation: isolation, timeout: timeout) { context in
                // The unit before may have failed, and its changes are not this one's.
                context.rollback()
                do {
                    try body(context)
                } catch {
                    context.rollback()
                    throw error
                }
            }
        }
    }

    private static func insert(_ count: Int, _ token: UUID, _ context: ManagedObjectContext) {
        for number in 0..<count {
            let entry = context.insert("Entry")
            entry["token"] = token
            entry["number"] = number
        }
    }

    /// Changes people who may be stale in a context that others share.
    private static func change(_ count: Int, _ context: ManagedObjectContext) throws {
        let people = try context.fetch("Person", sortedBy: .key("name"), limit: 100)
        // The second process has time to be first.
        Thread.sleep(forTimeInterval: 0.003)
        for person in people.shuffled().prefix(count) {
            person["visits"] = (person["visits"] as? Int64 ?? 0) + 1
            if count.isMultiple(of: 2) { person["name"] = "person \(Int.random(in: 0..<1_000))" }
        }
    }
}
