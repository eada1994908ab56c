import Foundation
import Howdah

/// What the history costs: the same saves to a store without one and to a store with one, in wall time, and in the
/// server's own CPU time where Linux tells it.
enum HistoryRun {
    private static func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Note",
                properties: [
                    .attribute("text", .string, optional: false),
                    .attribute("visits", .integer64, optional: false),
                ])
        ])
    }

    private static func open(_ url: String, _ schemaName: String, _ history: HistoryOption) async throws
        -> PersistentContainer
    {
        var options = StoreOptions()
        options.schemaName = schemaName
        // One session, whose process the server accounts for.
        options.maximumConnections = 1
        options.history = history
        let container = try await PersistentContainer.open(url, model: model(), options: options)
        container.statementLog.stop()
        return container
    }

    static func run(url: String, _ n: Int) async throws -> String {
        let stores = [
            try await open(url, "plain", .asStored), try await open(url, "traced", .enabled),
        ]
        var lines: [String] = []
        for (kind, count, body) in [
            ("saves of one object", n, saveOne), ("save of all objects", n, saveAll),
            ("batch update", n, update),
            ("insertion", n, insert),
        ] {
            var best = [Cost.worst, Cost.worst]
            for round in 0..<10 {
                for place in round.isMultiple(of: 2) ? [0, 1] : [1, 0] {
                    let cost = try await stores[place].perform { context in try body(context, count) }
                    best[place].improve(by: cost)
                }
            }
            lines.append(
                String(
                    format: "history, %@ (%d): %.2f µs each without, %.2f with; server CPU %.2f and %.2f",
                    kind, count,
                    best[0].wall / Double(count) * 1e6, best[1].wall / Double(count) * 1e6,
                    best[0].server / Double(count) * 1e6, best[1].server / Double(count) * 1e6))
        }
        lines.append(try await emptyPolls(stores[1], n))
        for store in stores { await store.close() }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The most CPU time of the server, in microseconds, that a look for new changes may cost if there are none.
    private static let emptyPollLimit = 100.0

    /// What a program pays that waits for changes: one round trip, whatever the history has.
    private static func emptyPolls(_ store: PersistentContainer, _ n: Int) async throws -> String {
        let start = try await store.currentHistoryToken()
        var best = Cost.worst
        for _ in 0..<10 {
            best.improve(
                by: try await store.perform { context in
                    var token = start
                    return try time(context) {
                        // Each goes on after the last one, as programs do.
                        for _ in 0..<n {
                            token = try context.execute(HistoryRequest.fetch(after: token)).token ?? token
                        }
                    }
                })
        }
        let used = best.server / Double(n) * 1e6
        return String(
            format: "history, empty poll (%d): %.2f µs each; server CPU %.2f, %@ the limit of %.0f",
            n, best.wall / Double(n) * 1e6, used, used > emptyPollLimit ? "ABOVE" : "within", emptyPollLimit)
    }

    /// Seconds.
    private struct Cost {
        static let worst = Cost(wall: .infinity, server: .infinity)
        var wall: Double
        var server: Double

        mutating func improve(by other: Cost) {
            wall = min(wall, other.wall)
            server = min(server, other.server)
        }
    }

    private static func time(_ context: ManagedObjectContext, _ body: () throws -> Void) throws -> Cost {
        let process = try context.fetchRows(Int.self, sql: "SELECT pg_backend_pid()::int8").first ?? 0
        func used() -> Double {
            let text = try? String(contentsOfFile: "/proc/\(process)/schedstat", encoding: .utf8)
            return text.flatMap { Double($0.prefix { $0 != " " }) }.map { $0 / 1e9 } ?? .nan
        }
        let (start, before) = (ContinuousClock.now, used())
        try body()
        return Cost(wall: (ContinuousClock.now - start) / .seconds(1), server: used() - before)
    }

    private static func saveOne(_ context: ManagedObjectContext, _ n: Int) throws -> Cost {
        let found = try context.fetch("Note", limit: 1).first
        let note = found ?? context.insert("Note")
        if found == nil {
            (note["text"], note["visits"]) = ("one", Int64(0))
            try context.save()
        }
        return try time(context) {
            for number in 0..<n {
                note["visits"] = Int64(number % 1_000 + 1)
                try context.save()
            }
        }
    }

    private static func insert(_ context: ManagedObjectContext, _ n: Int) throws -> Cost {
        for number in 0..<n {
            let note = context.insert("Note")
            (note["text"], note["visits"]) = ("Note \(number)", Int64(number))
        }
        return try time(context) { try context.save() }
    }

    private static func saveAll(_ context: ManagedObjectContext, _ n: Int) throws -> Cost {
        while try context.fetch("Note", limit: n).count < n { _ = try insert(context, n) }
        for note in try context.fetch("Note", limit: n) {
            note["visits"] = (note["visits"] as? Int64 ?? 0) + 1
        }
        return try time(context) { try context.save() }
    }

    private static func update(_ context: ManagedObjectContext, _ n: Int) throws -> Cost {
        let request = FetchRequest<ManagedObject>(entityName: "Note")
        return try time(context) {
            _ = try context.execute(BatchUpdateRequest(request, set: ["visits": .increment(by: 1)]))
        }
    }
}
