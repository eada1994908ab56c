import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import HowdahSampleData
import HowdahSchema
import HowdahStages
import HowdahTesting
import PQClient
import TestSupport

/// Fills a store of one model with samples, migrates it to another one, and compares it with a fresh store and with
/// what it held.
struct MigrationTrial {
    let old: ManagedObjectModel
    let new: ManagedObjectModel
    var options = MigrationOptions()
    var count = 6
    var seed: UInt64 = 1
    /// Whether a refusal because of rows is followed by a stage whose handler puts them right.
    var settles = false
    /// Whether the migration is rehearsed first, which must foretell what comes of it.
    var rehearses = false
    /// Whether a handler can put the refused rows right.
    var canSettle: @Sendable (MigrationError) -> Bool = { _ in true }

    struct Outcome: Sendable {
        var plan: MigrationPlan?
        /// Why it was refused; the store was then compared with what it was.
        var refusal: MigrationError?
        var faults: [String] = []
        var objects = 0
        /// How many values the handler of a stage had to put right.
        var settled = 0
        /// What of the objects and values in the beginning is there in the end.
        var survival = ""
        /// The words without which the migration was refused.
        var words: Set<String> = []
    }

    func run() async throws -> Outcome {
        let server = try EphemeralPostgres.shared()
        let database = try server.createDatabase()
        do {
            let outcome = try await run(in: database)
            try database.drop()
            return outcome
        } catch {
            try? database.drop()
            throw error
        }
    }

    private func run(in database: TemporaryDatabase) async throws -> Outcome {
        let before = try await withStore(database, old) { container in
            try await SampleData(model: old, seed: seed, countPerEntity: count).insert(into: container)
            return try await StoreContents.of(container)
        }
        var outcome = Outcome(objects: before.objects.count)
        let catalogue = try Self.catalogue(database)
        let pairing = ModelPairing(from: old, to: new)
        let (words, faults) = try missingWords(in: database, before)
        outcome.faults += faults
        outcome.words = words
        var options = options
        options.confirmedDrops.formUnion(words)
        let isForetold = rehearses ? try rehearse(database, options) : nil
        do {
            let connection = try Connection(ConnectionConfiguration(database.url))
            defer { connection.close() }
            guard
                let plan = try StoreMigration(connection, to: new, options: options).apply().stages.first?
                    .plan
            else { return outcome }
            outcome.plan = plan
            if isForetold == false { outcome.faults.append("the rehearsal refused what was done") }
            if options.shouldDeferLightweightMigration {
                let between = try await withStore(database, new) { try await StoreContents.of($0) }
                outcome.faults += SurvivalOracle(pairing: pairing, before: before, after: between).faults()
                try DeferredWork(connection).finish()
                outcome.faults += try Self.remains(connection)
            }
        } catch let error as MigrationError where error.code == .unfinished {
            outcome.refusal = error
            let kept = try await withStore(database, new) { try await StoreContents.of($0) }
            outcome.faults += SurvivalOracle(pairing: pairing, before: before, after: kept).faults()
            return outcome
        } catch let error as MigrationError {
            outcome.refusal = error
            if isForetold == true { outcome.faults.append("the rehearsal did not foretell the refusal") }
            outcome.faults += try Self.catalogue(database).differences(from: catalogue)
            let kept = try await withStore(database, old) { try await StoreContents.of($0) }
            let oracle = SurvivalOracle(
                pairing: ModelPairing(from: old, to: old), before: before, after: kept)
            outcome.faults += oracle.faults()
            guard settles, error.code == .unfitData, canSettle(error) else { return outcome }
        }
        let settlement = Settlement(new)
        if outcome.refusal != nil { try await settle(database, settlement, options) }
        outcome.settled = settlement.places.values.reduce(0) { $0 + $1.count }
        let fresh = try await Self.freshCatalogue(of: new)
        outcome.faults += try Self.catalogue(database).differences(from: fresh)
        let after = try await withStore(database, new) { try await StoreContents.of($0) }
        outcome.faults +=
            SurvivalOracle(
                pairing: pairing, before: before, after: after, settled: settlement.places
            ).faults()
        outcome.survival = after.survival(of: before)
        return outcome
    }

    /// Whether the rehearsal says that the migration goes through.
    private func rehearse(_ database: TemporaryDatabase, _ options: MigrationOptions) throws -> Bool {
        let connection = try Connection(ConnectionConfiguration(database.url))
        defer { connection.close() }
        let versions = [("old", old), ("new", new)].map {
            MigrationPath.Version(name: $0, checksum: $1.versionChecksum, model: $1)
        }
        let path = try MigrationPath([
            .init(
                .lightweight, versions, label: nil, handlers: StageHandlers(),
                confirmedDrops: options.confirmedDrops)
        ])
        return try StoreMigration(connection, path, to: new, options: options).rehearse().isClean
    }

    private func settle(
        _ database: TemporaryDatabase, _ settlement: Settlement, _ migration: MigrationOptions
    ) async throws {
        var stage = CustomMigrationStage(
            migratingFrom: ManagedObjectModelReference(old, versionChecksum: old.versionChecksum),
            to: ManagedObjectModelReference(new, versionChecksum: new.versionChecksum))
        stage.confirmedDrops = migration.confirmedDrops
        stage.didMigrateHandler = { try settlement.run($0) }
        var options = StoreOptions()
        options.stagedMigrationManager = StagedMigrationManager([stage])
        try await PersistentContainer.open(database.url, model: new, options: options).close()
    }

    /// What a finished migration must not leave.
    private static func remains(_ connection: Connection) throws -> [String] {
        try connection.query(
            "SELECT a.attrelid::pg_catalog.regclass::pg_catalog.text || '.' || a.attname "
                + "FROM pg_catalog.pg_attribute a WHERE a.attname LIKE '\\_howdah%' "
                + "UNION ALL SELECT c.relname FROM pg_catalog.pg_class c WHERE c.relkind = 'r' "
                + "AND (c.relname LIKE '\\_howdah\\_old%' OR c.relname = '_howdah_pending')", cached: false
        ).map { $0[0].string() + " remains" }
    }

    func withStore<T: Sendable>(
        _ database: TemporaryDatabase, _ model: ManagedObjectModel,
        _ body: (PersistentContainer) async throws -> T
    ) async throws -> T {
        let container = try await PersistentContainer.open(database.url, model: model)
        return try await container.closing(after: body)
    }

    static func catalogue(_ database: TemporaryDatabase) throws -> StoreCatalogue {
        let connection = try Connection(ConnectionConfiguration(database.url))
        defer { connection.close() }
        return try StoreCatalogue(named: "public", on: connection)
    }

    static func freshCatalogue(of model: ManagedObjectModel) async throws -> StoreCatalogue {
        let database = try EphemeralPostgres.shared().createDatabase()
        let container = try await PersistentContainer.open(database.url, model: model)
        await container.close()
        let catalogue = try catalogue(database)
        try database.drop()
        return catalogue
    }
}
