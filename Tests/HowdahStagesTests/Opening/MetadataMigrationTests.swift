import Foundation
import Howdah
import HowdahMigration
import HowdahTesting
import LocalPostgres
import StagedModels
import TestSupport
import Testing

@testable import HowdahRuntime
@testable import HowdahStages

/// Identity and entries of a store stay whatever becomes of its model.
@Suite(.needsSession, .timeLimit(.minutes(60))) struct MetadataMigrationTests {
    private static let entries: [String: MetadataValue] = ["region": "eu", "shards": [1, 2.5, ["a": true]]]

    @Test(arguments: Logbook.Way.allCases)
    func metadataSurvivesStagesAndMappings(way: Logbook.Way) async throws {
        try await LogbookStore.with(way) { store in
            try await PersistentContainer.setMetadata(Self.entries, at: store.url)
            let before = try await PersistentContainer.metadata(at: store.url)
            try await store.open().close()
            let after = try await PersistentContainer.metadata(at: store.url)
            #expect(after.entries == Self.entries && after.storeIdentifier == before.storeIdentifier)
            #expect(try after.versionChecksum == Logbook.V4.model.versionChecksum)
            #expect(after.versionChecksum != before.versionChecksum && after.createdAt == before.createdAt)
            #expect(try await store.boundary() == way.labels.count)
        }
    }

    @Test func metadataSurvivesInferenceOnOpening() async throws {
        try await LogbookStore.with { store in
            try await PersistentContainer.setMetadata(Self.entries, at: store.url)
            var options = StoreOptions()
            options.shouldMigrateStoreAutomatically = true
            try await PersistentContainer.open(store.url, model: Logbook.V2.model, options: options).close()
            let after = try await PersistentContainer.metadata(at: store.url)
            #expect(
                try after.entries == Self.entries && after.versionChecksum == Logbook.V2.model.versionChecksum
            )
        }
    }

    @Test func aRehearsalLeavesMetadataAsItIs() async throws {
        try await LogbookStore.with { store in
            try await PersistentContainer.setMetadata(Self.entries, at: store.url)
            let before = try await PersistentContainer.metadata(at: store.url)
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager(Logbook.Plan.self)
            let report = try PersistentContainer.withMigrationPath(
                store.url, model: Logbook.V4.model, options: options
            ) { connection, path in
                let stages: MigrationPath = try #require(path)
                return try StoreMigration(connection, stages, to: Logbook.V4.model)
                    .rehearse(budget: .seconds(60))
            }
            #expect(report.isClean, "\(report)")
            #expect(try await PersistentContainer.metadata(at: store.url) == before)
        }
    }

    /// The copy of a store that was migrated has its history, and is migrated on.
    @Test func aMigratedStoreIsCopiedWithItsHistory() async throws {
        try await LogbookStore.with { store in
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager(Logbook.Plan.self)
            try await PersistentContainer.open(store.url, model: Logbook.V3.model, options: options).close()
            let database = try EphemeralPostgres.shared().createDatabase()
            defer { try? database.drop() }
            try await LogbookStore.fill(database.url)
            try await PersistentContainer.replaceStore(at: database.url, withStoreFrom: store.url)
            let copy = LogbookStore(url: database.url)
            #expect(try await copy.boundary() == 2)
            let ledger = "SELECT array_agg(t ORDER BY number)::text FROM _howdah_migration t"
            #expect(try copy.sql.value(ledger) == store.sql.value(ledger))
            try await copy.expectCompletion()
            try await store.expectCompletion()
        }
    }

    @Test func metadataIsInADump() async throws {
        try await LogbookStore.with { store in
            try await PersistentContainer.setMetadata(Self.entries, at: store.url)
            let before = try await PersistentContainer.metadata(at: store.url)
            let database = try EphemeralPostgres.shared().createDatabase()
            defer { try? database.drop() }
            let installation = try PostgresInstallation.find()
            let file = FileManager.default.temporaryDirectory.appending(path: "dump-\(UUID()).sql").path
            defer { try? FileManager.default.removeItem(atPath: file) }
            try await Self.run(installation.executable("pg_dump"), "-d", store.url, "-f", file)
            try await Self.run(
                installation.executable("psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", database.url, "-f",
                file)
            #expect(try await PersistentContainer.metadata(at: database.url) == before)
            try await PersistentContainer.setMetadata(["more": 1], at: database.url)
            try await LogbookStore(url: database.url).expectCompletion()
            // The identity is the same, and yet it is another store.
            try await PersistentContainer.replaceStore(at: database.url, withStoreFrom: store.url)
            #expect(try await PersistentContainer.metadata(at: database.url).entries == Self.entries)
        }
    }

    private static func run(_ program: String?, _ arguments: String...) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(program))
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        await process.untilExit()
        #expect(process.terminationStatus == 0)
    }
}
