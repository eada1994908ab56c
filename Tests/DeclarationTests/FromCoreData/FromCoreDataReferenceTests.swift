import Foundation
import Howdah
import HowdahModelFile
import HowdahTesting
import Synchronization
import Testing

/// The code of the part of `docs/from-core-data.md` about versions in Xcode's files.
@Suite struct FromCoreDataReferenceTests {
    // snippet
    static let checksums = [  // howdah model checksum Logbook.xcdatamodeld --version …
        "92eacfccce84e013e205c902dacbbe0054031dc4290fa73d43486261009461bc",
        "19e9ae93589c6e14737ab44ef9bf46634127f6e1c2d12c68d151a7a2978c7a80",
        "a1a9c972f04d61ff9671b887bfbeea857410532452d0a4edc88d2c6e989bbdf7",
    ]

    static func version(_ name: String, _ checksum: String, of bundle: URL) -> ManagedObjectModelReference {
        ManagedObjectModelReference(name: name, versionChecksum: checksum) {
            try ModelFile(at: bundle).contents(version: name).model
        }
    }

    static func stages(_ logbook: URL) -> StagedMigrationManager {
        let (v2, v3) = (
            version("Logbook 2", checksums[1], of: logbook), version("Logbook 3", checksums[2], of: logbook)
        )
        let lightweight = LightweightMigrationStage(
            [checksums[0], checksums[1]], label: "flight data as text")
        var custom = CustomMigrationStage(migratingFrom: v2, to: v3, label: "flight data as objects")
        custom.confirmedDrops = ["Aircraft.flightData"]  // nobody drops it: the handlers move it
        let texts = Mutex<[ObjectID<ManagedObject>: String]>([:])
        custom.willMigrateHandler = { context in
            let flown = try context.fetch("Aircraft", matching: .format("flightData != nil"))
            texts.withLock {
                $0 = .init(uniqueKeysWithValues: flown.map { ($0.objectID, "\($0["flightData"] ?? "")") })
            }
        }
        custom.didMigrateHandler = { context in
            for aircraft in try context.fetch("Aircraft") {
                guard let text = texts.withLock({ $0[aircraft.objectID] }) else { continue }
                let data = context.insert("FlightData")
                (data["track"], data["aircraft"]) = (text, aircraft)
            }
            try context.save()
        }
        return StagedMigrationManager([lightweight, custom])
    }
    // end

    @Test func versionsOfABundle() async throws {
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let logbook = root.appending(path: "migrations/aircraft-logbook/Logbook.xcdatamodeld")
        let versions = try ["Logbook", "Logbook 2", "Logbook 3"].map {
            try ModelFile(at: logbook).contents(version: $0).model
        }
        try await withTemporaryDatabase(for: versions[0]) { database in
            let first = try await PersistentContainer.open(database.url, model: versions[0])
            try await first.perform { context in
                for number in ["D-EABC", "D-1234"] {
                    let aircraft = context.insert("Aircraft")
                    (aircraft["tailNumber"], aircraft["kind"]) = (number, "C172")
                }
                try context.save()
            }
            await first.close()
            var options = StoreOptions()
            options.stagedMigrationManager = Self.stages(logbook)
            let second = try await PersistentContainer.open(
                database.url, model: versions[1], options: options)
            try await second.perform { context in
                let one = try context.fetch("Aircraft", matching: .format("tailNumber == 'D-EABC'"))
                one.first?["flightData"] = "EDNY 47.67 9.51"
                try context.save()
            }
            await second.close()
            let third = try await PersistentContainer.open(
                database.url, model: versions[2], options: options)
            let flights = try await third.perform { context in
                try context.fetch("FlightData").map {
                    let aircraft = $0["aircraft"] as? ManagedObject
                    return "\($0["track"] ?? "nil") by \(aircraft?["tailNumber"] ?? "nil")"
                }
            }
            await third.close()
            #expect(flights == ["EDNY 47.67 9.51 by D-EABC"])
        }
    }
}
