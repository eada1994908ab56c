package import Howdah

extension Logbook {
    /// Three stages: flight data moves after the first, goes with the second; the third needs remarks and counts flights.
    package enum Plan: SchemaMigrationPlan {
        package static var stages: [MigrationStage] {
            [
                .custom(from: V1.self, to: V2.self, didMigrate: moveFlights),
                .lightweight(V2.self, to: V3.self, confirmedDrops: ["Aircraft.flightData"]),
                .custom(
                    from: V3.self, to: V4.self, willMigrate: writeRemarks, didMigrate: countFlights),
            ]
        }
    }

    @Sendable private static func moveFlights(_ context: ManagedObjectContext) throws {
        for aircraft in try all("Aircraft", in: context) {
            guard let data = aircraft["flightData"] as? String else { continue }
            for part in data.split(separator: ",") {
                let flight = context.insert("Flight")
                flight["data"] = String(part)
                flight["aircraft"] = aircraft
            }
        }
        try context.save()
    }

    @Sendable private static func writeRemarks(_ context: ManagedObjectContext) throws {
        for aircraft in try all("Aircraft", in: context) where aircraft["remarks"] == nil {
            aircraft["remarks"] = "none"
        }
        try context.save()
    }

    @Sendable private static func countFlights(_ context: ManagedObjectContext) throws {
        for aircraft in try all("Aircraft", in: context) {
            aircraft["flightCount"] = aircraft.members(forKey: "flights").count
        }
        try context.save()
    }

    static func all(_ entity: String, in context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
    }
}
