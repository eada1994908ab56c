import Foundation
import Howdah

/// What a program does once, and what it does with each text of a client.
enum SingleRun {
    /// 70 entities with eight attributes, each with a relationship to the one before.
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: (0..<70).map { number in
                var properties: [PropertyDescription] = (0..<8).map {
                    .attribute("attribute\($0)", $0 % 2 == 0 ? .string : .integer64)
                }
                if number > 0 {
                    properties.append(
                        .relationship("former", to: "Entity\(number - 1)", inverse: "later"))
                }
                if number < 69 {
                    properties.append(
                        .relationship("later", to: "Entity\(number + 1)", inverse: "former", toMany: true))
                }
                return EntityDescription("Entity\(number)", properties: properties)
            })
    }

    /// The time from a model to the first statement of a unit of work, for a new store and for one that is there.
    static func opening(_ url: String, _ n: Int) async throws -> String {
        var times: [Double] = []
        for _ in 0...n {
            let model = try model()
            let start = ContinuousClock.now
            let container = try await PersistentContainer.open(url, model: model)
            let count = try await container.perform { try $0.count(for: FetchRequest(entityName: "Entity0")) }
            precondition(count == 0)
            times.append((ContinuousClock.now - start) / .milliseconds(1))
            await container.close()
        }
        let known = times.dropFirst().sorted()
        return String(
            format:
                "opening: a store of 70 entities was made in %.1f ms; later openings took %.1f ms, half of them %.1f",
            times[0], known[0], known[known.count / 2])
    }

    /// The time of a predicate alone, and of a fetch with it: as a tree, as a known format, and as another text each time.
    static func texts(_ container: PersistentContainer, _ n: Int) async throws -> String {
        let count = n * 100
        var lines: [String] = []
        let kinds: [(String, @Sendable (Int) -> PredicateTree)] = [
            (
                "format with arguments",
                { .format("lastName == %@ AND salary > %lf", "Last\($0 % 1000)", 1000.0) }
            ),
            ("text with its values", { .format("lastName == 'Last\($0 % 1000)' AND salary > \(1000 + $0)") }),
        ]
        for (name, make) in kinds {
            let microseconds = try await container.perform { context in
                var best = (alone: Double.infinity, fetch: Double.infinity)
                for round in 0..<5 {
                    let alone = try time {
                        for i in 0..<count where make(i + round * count).keyPaths.isEmpty { throw Empty() }
                    }
                    let fetch = try time {
                        for i in 0..<count {
                            _ = try context.fetch(Employee.self, matching: make(i + round * count), limit: 1)
                        }
                    }
                    best = (min(best.alone, alone), min(best.fetch, fetch))
                }
                return (best.alone / Double(count) * 1e6, best.fetch / Double(count) * 1e6)
            }
            lines.append(
                String(
                    format: "%@: %.1f µs, and %.1f with the fetch of a row", name, microseconds.0,
                    microseconds.1))
        }
        return lines.joined(separator: "\n")
    }

    private struct Empty: Error {}

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }
}
