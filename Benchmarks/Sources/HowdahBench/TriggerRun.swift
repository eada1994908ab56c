import Foundation
import Howdah

/// What the version trigger costs: the same updates of a table with one and of a table without.
enum TriggerRun {
    private static func model() throws -> ManagedObjectModel {
        func entity(_ name: String, userInfo: [String: String]) -> EntityDescription {
            EntityDescription(
                name,
                properties: [
                    .attribute("name", .string, optional: false),
                    .attribute("visits", .integer64, optional: false),
                    .attribute("rating", .double, optional: false),
                ], userInfo: userInfo)
        }
        return try ManagedObjectModel(entities: [
            entity("Plain", userInfo: [:]), entity("Guarded", userInfo: [MappingKey.versionTrigger: "YES"]),
        ])
    }

    static func run(url: String, _ n: Int) async throws -> String {
        let container = try await PersistentContainer.open(url, model: model())
        container.statementLog.stop()
        try await container.perform { context in
            for entity in ["Plain", "Guarded"] {
                for i in 0..<n {
                    let object = context.insert(entity)
                    (object["name"], object["visits"], object["rating"]) = ("Name \(i)", Int64(i), Double(i))
                }
            }
            try context.save()
        }
        var lines: [String] = []
        for (kind, body) in [("save", save), ("batch update", batch), ("SQL of another program", statement)] {
            var best = ["Plain": Double.infinity, "Guarded": Double.infinity]
            for round in 0..<10 {
                for entity in round.isMultiple(of: 2) ? ["Plain", "Guarded"] : ["Guarded", "Plain"] {
                    let seconds = try await container.perform { try body(entity, $0) }
                    best[entity] = min(best[entity] ?? seconds, seconds)
                }
            }
            let costs = ["Plain", "Guarded"].map { (best[$0] ?? 0) / Double(n) * 1e6 }
            lines.append(
                String(
                    format: "version trigger, %@ of %d rows: %.2f µs a row without, %.2f with", kind, n,
                    costs[0],
                    costs[1]))
        }
        return lines.joined(separator: "\n")
    }

    private static func time(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    private static func save(_ entity: String, _ context: ManagedObjectContext) throws -> Double {
        let objects = try context.fetch(entity)
        for object in objects { object["visits"] = (object["visits"] as? Int64 ?? 0) + 1 }
        return try time { try context.save() }
    }

    private static func batch(_ entity: String, _ context: ManagedObjectContext) throws -> Double {
        let request = FetchRequest<ManagedObject>(entityName: entity)
        return try time {
            _ = try context.execute(BatchUpdateRequest(request, set: ["rating": .expression("rating + 1")]))
        }
    }

    private static func statement(_ entity: String, _ context: ManagedObjectContext) throws -> Double {
        try time {
            _ =
                entity == "Plain"
                ? try context.fetchRows(sql: "UPDATE plain SET visits = visits + 1")
                : try context.fetchRows(sql: "UPDATE guarded SET visits = visits + 1")
        }
    }
}
