import Howdah
import HowdahTesting
import PQClient
import StagedModels
import TestSupport
import Testing

@testable import HowdahRuntime

/// What is wrong with stages, or with a store for them, is said before anything is done.
@Suite(.needsSession) struct StagedRefusalTests {
    private static func message(
        _ store: LogbookStore, _ stages: [any MigrationStageConvertible], to model: ManagedObjectModel
    ) async throws -> String {
        var options = StoreOptions()
        options.stagedMigrationManager = StagedMigrationManager(stages)
        let error = await #expect(throws: StoreError.self) {
            try await PersistentContainer.open(store.url, model: model, options: options).close()
        }
        #expect(error?.code == .migrationFailed)
        #expect(try await store.boundary() == 0)
        return try #require(error).message
    }

    @Test func aStoreOfAnUnlistedVersion() async throws {
        try await LogbookStore.with { store in
            let message = try await Self.message(
                store, Array(Logbook.Plan.stages.dropFirst()), to: Logbook.V4.model)
            #expect(message.hasPrefix("The store has a version that no stage lists ("))
            #expect(
                message.contains(
                    "The nearest listed version is V2. The differences from there to the store: Flight removed"
                ),
                "\(message)")
        }
    }

    @Test func aModelToWhichNoStageLeads() async throws {
        try await LogbookStore.with { store in
            let message = try await Self.message(
                store, Array(Logbook.Plan.stages.prefix(2)), to: Logbook.V4.model)
            #expect(
                message.contains(
                    "The nearest listed version is V3. The differences from there to the requested model: "))
        }
    }

    @Test func aModelThatWasEdited() async throws {
        try await LogbookStore.with { store in
            let message = try await Self.message(
                store,
                [
                    LightweightMigrationStage([
                        ManagedObjectModelReference(
                            try Logbook.V1.model, versionChecksum: Logbook.V1.model.versionChecksum),
                        ManagedObjectModelReference(
                            try Logbook.V3.model, versionChecksum: Logbook.V2.model.versionChecksum,
                            name: "two"),
                    ])
                ], to: Logbook.V3.model)
            #expect(message.hasPrefix("The model of the version two has the checksum "), "\(message)")
        }
    }

    @Test func aRecordThatWasAltered() async throws {
        try await LogbookStore.with { store in
            let other = try ManagedObjectModel(entities: [EntityDescription("Aircraft")]).canonicalJSON
            try store.sql.rows(
                "UPDATE _howdah_store SET model = \(SQLLiteral.string(other))")
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager(Logbook.Plan.self)
            let error = await #expect(throws: StoreError.self) {
                try await store.open(options: options).close()
            }
            #expect(
                error?.message.contains("The record was changed. Restore the row of _howdah_store from")
                    == true,
                "\(String(describing: error))")
        }
    }

    @Test func aModelThatIsNotAtHand() async throws {
        try await LogbookStore.with { store in
            let checksums = try Logbook.versions.map { try $0.model.versionChecksum }
            let message = try await Self.message(
                store, [LightweightMigrationStage(Array(checksums.prefix(3)))], to: Logbook.V3.model)
            #expect(message.contains("but the stage has only its checksum"), "\(message)")
            // The store has the first, the container the second.
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([
                LightweightMigrationStage(Array(checksums.prefix(2)))
            ])
            try await PersistentContainer.open(store.url, model: Logbook.V2.model, options: options).close()
            #expect(try store.sql.value("SELECT checksum FROM _howdah_store") == checksums[1])
        }
    }

    @Test func aVersionThatIsListedTwice() async throws {
        try await LogbookStore.with { store in
            let message = try await Self.message(
                store, Logbook.Plan.stages + [.lightweight(Logbook.V4.self, to: Logbook.V1.self)],
                to: Logbook.V4.model)
            #expect(message.hasPrefix("The version V1 is listed twice"), "\(message)")
        }
    }

    /// The last stage drops a value that looks like one that it adds: nothing is done, not even the stages before.
    @Test func aStageThatCannotBeInferred() async throws {
        try await LogbookStore.with { store in
            let renamed = try ManagedObjectModel(entities: [
                EntityDescription(
                    "Aircraft",
                    properties: [
                        .attribute("registration", .string, optional: false), .attribute("remark", .string),
                        .relationship(
                            "flights", to: "Flight", inverse: "aircraft", toMany: true, deleteRule: .cascade),
                    ]),
                EntityDescription(
                    "Flight",
                    properties: [
                        .attribute("data", .string),
                        .relationship("aircraft", to: "Aircraft", inverse: "flights"),
                    ]),
            ])
            let current = try Logbook.V3.model
            var stage = CustomMigrationStage(
                migratingFrom: ManagedObjectModelReference(
                    current, versionChecksum: current.versionChecksum, name: "V3"),
                to: ManagedObjectModelReference(
                    renamed, versionChecksum: renamed.versionChecksum, name: "renamed"))
            let stages = Array(Logbook.Plan.stages.prefix(2))
            let message = try await Self.message(store, stages + [stage], to: renamed)
            #expect(message.contains("Stage 3 of 3 (V3 → renamed): "), "\(message)")
            #expect(message.contains("Aircraft.remarks"), "\(message)")
            #expect(message.contains("a model version between the stage's two versions"), "\(message)")
            stage.confirmedDrops = ["Aircraft.remarks"]
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager(stages + [stage])
            try await PersistentContainer.open(store.url, model: renamed, options: options).close()
            #expect(try store.ledger() == ["V1 → V2", "V2 → V3", "V3 → renamed"])
        }
    }
}
