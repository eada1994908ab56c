import Foundation
import Howdah
import HowdahTesting
import Testing

// snippet
enum LogbookV1: VersionedSchema {
    static var model: ManagedObjectModel {
        get throws {
            try ManagedObjectModel(entities: [
                EntityDescription(
                    "Aircraft",
                    properties: [
                        .attribute("registration", .string, optional: false),
                        .attribute("flightData", .string),
                    ])
            ])
        }
    }
}
// end

enum LogbookV2: VersionedSchema {
    static var model: ManagedObjectModel {
        get throws { try LogbookV3.model(with: [.attribute("flightData", .string)]) }
    }
}

enum LogbookV3: VersionedSchema {
    static var model: ManagedObjectModel {
        get throws { try model(with: []) }
    }

    static func model(with others: [PropertyDescription]) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Aircraft",
                properties: [
                    .attribute("registration", .string, optional: false),
                    .relationship("flight", to: "FlightData", inverse: "aircraft", deleteRule: .cascade),
                ] + others),
            EntityDescription(
                "FlightData",
                properties: [
                    .attribute("text", .string, optional: false),
                    .relationship(
                        "aircraft", to: "Aircraft", inverse: "flight", optional: !others.isEmpty),
                ]),
        ])
    }
}

// snippet
enum LogbookPlan: SchemaMigrationPlan {
    static let stages: [MigrationStage] = [
        .custom(
            from: LogbookV1.self, to: LogbookV2.self,
            didMigrate: { context in
                for aircraft in try context.fetch("Aircraft", matching: .format("flightData != nil")) {
                    let data = context.insert("FlightData")
                    data["text"] = aircraft["flightData"]
                    data["aircraft"] = aircraft
                }
                try context.save()
            }),
        .lightweight(LogbookV2.self, to: LogbookV3.self, confirmedDrops: ["Aircraft.flightData"]),
    ]
}
// end

/// The code of the part of `docs/from-core-data.md` about migrations.
@Suite struct FromCoreDataMigrationTests {
    /// A store of the first version with two aircraft, one of which has flown.
    private static func withLogbook(_ body: (String) async throws -> PersistentContainer) async throws {
        let model = try LogbookV1.model
        try await withTemporaryDatabase(for: model) { database in
            let before = try await PersistentContainer.open(database.url, model: model)
            try await before.perform { context in
                for (registration, data) in [("D-EA", "to Oslo"), ("D-EB", nil)] {
                    let aircraft = context.insert("Aircraft")
                    aircraft["registration"] = registration
                    aircraft["flightData"] = data
                }
                try context.save()
            }
            await before.close()
            let after = try await body(database.url)
            let flights = try await after.perform { context in
                try context.fetch("FlightData").map {
                    let aircraft = $0["aircraft"] as? ManagedObject
                    return "\($0["text"] ?? "nil") with \(aircraft?["registration"] ?? "nil")"
                }
            }
            await after.close()
            #expect(flights == ["to Oslo with D-EA"])
        }
    }

    @Test func schemas() async throws {
        try await Self.withLogbook { url in
            // snippet
            let container = try await PersistentContainer.open(
                url, model: LogbookV3.model, migrating: LogbookPlan.self)
            // end
            return container
        }
    }

    @Test func references() async throws {
        let (v1, v2, v3) = (try LogbookV1.model, try LogbookV2.model, try LogbookV3.model)
        try await Self.withLogbook { url in
            // snippet
            let versions = [v1, v2, v3].map {
                ManagedObjectModelReference($0, versionChecksum: $0.versionChecksum)
            }
            var move = CustomMigrationStage(migratingFrom: versions[0], to: versions[1], label: "flight data")
            move.didMigrateHandler = { context in
                for aircraft in try context.fetch("Aircraft", matching: .format("flightData != nil")) {
                    let data = context.insert("FlightData")
                    data["text"] = aircraft["flightData"]
                    data["aircraft"] = aircraft
                }
                try context.save()
            }
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([
                move,
                LightweightMigrationStage(
                    [versions[1], versions[2]], confirmedDrops: ["Aircraft.flightData"]),
            ])
            print(try await PersistentContainer.migrationPlan(url, model: v3, options: options))
            let container = try await PersistentContainer.open(url, model: v3, options: options)
            // end
            return container
        }
    }

    @Test func deferred() async throws {
        try await Self.withLogbook { url in
            // snippet
            var options = StoreOptions()
            options.shouldDeferLightweightMigration = true
            let container = try await PersistentContainer.open(
                url, model: LogbookV3.model, migrating: LogbookPlan.self, options: options)
            let left: [PendingMigrationStep] = try await container.pendingMigrationSteps
            print(left)
            // end
            let reasons = try await container.pendingMigrationSteps.map(\.step.reason)
            #expect(reasons.contains("aircraft.flight_data removed"), "\(reasons)")
            #expect(reasons.contains("FlightData.aircraft is required"), "\(reasons)")
            // snippet
            while try await container.finishDeferredLightweightMigrationTask() {}
            // end
            #expect(try await container.pendingMigrationSteps.isEmpty)
            return container
        }
    }
}
