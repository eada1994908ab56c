import Foundation
import Howdah
import HowdahTesting
import StagedModels
import TestSupport
import Testing

@testable import HowdahRuntime

/// Stages run in order, each in one transaction with its handlers.
@Suite(.needsSession) struct StagedMigrationTests {
    private struct Mishap: Error {}

    /// Opens the store with other stages, and gives the error.
    private static func failure(
        _ store: LogbookStore, _ stages: [any MigrationStageConvertible],
        to model: ManagedObjectModel
    ) async throws -> StoreError {
        var options = StoreOptions()
        options.stagedMigrationManager = StagedMigrationManager(stages)
        let error = await #expect(throws: StoreError.self) {
            try await PersistentContainer.open(store.url, model: model, options: options).close()
        }
        return try #require(error)
    }

    @Test func stagesRunInOrder() async throws {
        try await LogbookStore.with { store in
            try await store.expectCompletion()
            #expect(try store.ledger() == Logbook.Way.staged.labels)
            // There is nothing left to do.
            try await store.expectCompletion()
        }
    }

    @Test func thePlanIsAValue() async throws {
        try await LogbookStore.with { store in
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager(Logbook.Plan.self)
            let plan = try await PersistentContainer.migrationPlan(
                store.url, model: Logbook.V4.model, options: options)
            #expect(plan.stages.map(\.label) == Logbook.Way.staged.labels)
            #expect(plan.stages.map(\.kind) == [.custom, .lightweight, .custom])
            #expect(plan.stages.map(\.hasWillMigrateHandler) == [false, false, true])
            #expect(plan.stages.map(\.hasDidMigrateHandler) == [true, false, true])
            let text = plan.description
            #expect(text.contains("stage 3 of 3   V3 → V4   custom\n"))
            // Rules come after the handler that may see to them.
            let rules = try #require(text.components(separatedBy: "didMigrate handler\n").last)
            #expect(rules.contains("Aircraft.remarks is required"), "\(text)")
            #expect(!rules.contains("didMigrate") && !rules.contains("ADD COLUMN"), "\(text)")
            // Nothing was done.
            #expect(try await store.boundary() == 0)
        }
    }

    @Test func withoutStagesThePlanIsInferred() async throws {
        let old = try ManagedObjectModel(entities: [entity("Note", [.attribute("text", .string)])])
        let new = try ManagedObjectModel(
            entities: [entity("Note", [.attribute("text", .string), .attribute("stars", .integer32)])])
        try await withTemporaryDatabase(for: old) { database in
            let plan = try await PersistentContainer.migrationPlan(
                database.url, model: new, options: StoreOptions())
            #expect(plan.stages.count == 1 && plan.description.contains("Note.stars"), "\(plan)")
            let nothing = try await PersistentContainer.migrationPlan(
                database.url, model: old, options: StoreOptions())
            #expect(nothing.stages.isEmpty)
        }
    }

    @Test func planningBeginsWithWhatTheStoreSays() async throws {
        try await LogbookStore.with { store in
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager(Logbook.Plan.self)
            try await PersistentContainer.open(store.url, model: Logbook.V2.model, options: options).close()
            #expect(try await store.boundary() == 1)
            let plan = try await PersistentContainer.migrationPlan(
                store.url, model: Logbook.V4.model, options: options)
            #expect(plan.stages.map(\.label) == Array(Logbook.Way.staged.labels.dropFirst()))
            try await store.expectCompletion()
            let error = try await Self.failure(store, Logbook.Plan.stages, to: Logbook.V3.model)
            #expect(error.message.contains("The store has the version V4, which is newer than V3"))
        }
    }

    @Test func aHandlerThatThrowsUndoesItsStage() async throws {
        try await LogbookStore.with { store in
            for isAfter in [false, true] {
                let handler: CustomMigrationStage.Handler = { context in
                    for aircraft in try context.fetch(FetchRequest<ManagedObject>(entityName: "Aircraft")) {
                        aircraft["remarks"] = "lost"
                    }
                    try context.save()
                    throw Mishap()
                }
                let stage = MigrationStage.custom(
                    from: Logbook.V3.self, to: Logbook.V4.self, willMigrate: isAfter ? nil : handler,
                    didMigrate: isAfter ? handler : nil)
                let fill = MigrationStage.custom(
                    from: Logbook.V3.self, to: Logbook.V4.self,
                    willMigrate: { context in
                        for aircraft in try context.fetch(FetchRequest<ManagedObject>(entityName: "Aircraft"))
                        where aircraft["remarks"] == nil {
                            aircraft["remarks"] = ""
                        }
                        try context.save()
                    }, didMigrate: handler)
                let error = try await Self.failure(
                    store, Array(Logbook.Plan.stages.prefix(2)) + [isAfter ? fill : stage],
                    to: Logbook.V4.model)
                #expect(error.code == .migrationFailed && error.underlyingError is Mishap)
                #expect(
                    error.message.contains(
                        "(V3 → V4): The \(isAfter ? "didMigrate" : "willMigrate") handler failed: Mishap()"),
                    "\(error.message)")
                #expect(error.message.contains("The store has the version V3"))
                #expect(try await store.boundary() == 2)
            }
            try await store.expectCompletion()
        }
    }

    @Test func whatAHandlerDidNotSaveIsAnError() async throws {
        try await LogbookStore.with { store in
            let error = try await Self.failure(
                store,
                [
                    MigrationStage.custom(
                        from: Logbook.V1.self, to: Logbook.V2.self,
                        willMigrate: { $0.insert("Aircraft")["registration"] = "x" })
                ], to: Logbook.V2.model)
            #expect(error.message.contains("would be lost. Call save()"), "\(error.message)")
            #expect(try await store.boundary() == 0)
        }
    }

    /// Without the handler that fills in remarks, rows are in the way of the last stage.
    @Test func aCheckThatFailsUndoesItsStage() async throws {
        try await LogbookStore.with { store in
            let error = try await Self.failure(
                store,
                Array(Logbook.Plan.stages.prefix(2)) + [
                    MigrationStage.custom(from: Logbook.V3.self, to: Logbook.V4.self)
                ], to: Logbook.V4.model)
            #expect(error.message.contains("Stage 3 of 3 (V3 → V4): "), "\(error.message)")
            #expect(error.message.contains("3 objects (Aircraft "), "\(error.message)")
            #expect(try await store.boundary() == 2)
            try await store.expectCompletion()
        }
    }

    /// Handlers see plain objects of the version at hand, on the stage's session, with names as any program has them.
    @Test func handlersWorkOnTheStagesTransaction() async throws {
        try await LogbookStore.with { store in
            let url = store.url
            let stage = MigrationStage.custom(
                from: Logbook.V1.self, to: Logbook.V2.self,
                willMigrate: { context in
                    let object = context.insert("Aircraft")
                    #expect(type(of: object) == ManagedObject.self)
                    object["registration"] = "D-EX"
                    try context.save()
                    // Nobody else sees it yet.
                    let others = try PlainSQL(url: url).value(
                        "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND "
                            + "state = 'idle in transaction'")
                    #expect(others == "1")
                },
                didMigrate: { context in
                    let request = FetchRequest<ManagedObject>(entityName: "Aircraft")
                    #expect(try context.count(for: request) == 7)
                    context.insert("Flight")["data"] = "x"
                    try context.save()
                })
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([stage])
            let container = try await PersistentContainer.open(
                store.url, model: Logbook.V2.model, options: options)
            await container.close()
            #expect(try await store.boundary() == 1)
            #expect(try store.sql.value("SELECT count(*)::text FROM flight") == "1")
        }
    }

    /// Whoever writes a table that the stage leaves alone waits too; readers do not.
    @Test func nobodyWritesWhileHandlersRun() async throws {
        let log = EntityDescription("Log", properties: [.attribute("text", .string)])
        let versions = try [[], [PropertyDescription.attribute("name", .string)]].map {
            try ManagedObjectModel(entities: [EntityDescription("Person", properties: $0), log])
        }
        try await withTestDatabase(for: versions[0]) { database in
            let url = database.url
            var stage = CustomMigrationStage(
                migratingFrom: ManagedObjectModelReference(
                    versions[0], versionChecksum: versions[0].versionChecksum),
                to: ManagedObjectModelReference(
                    versions[1], versionChecksum: versions[1].versionChecksum), label: "names")
            stage.willMigrateHandler = { _ in
                let locks = try PlainSQL(url: url).rows(
                    "SELECT relation::regclass::text, mode FROM pg_locks WHERE mode IN ('AccessExclusiveLock', "
                        + "'ShareRowExclusiveLock') AND relation IN ('person'::regclass, 'log'::regclass) "
                        + "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) ORDER BY 1"
                )
                #expect(locks == [["log", "ShareRowExclusiveLock"], ["person", "AccessExclusiveLock"]])
            }
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([stage])
            try await PersistentContainer.open(url, model: versions[1], options: options).close()
            #expect(
                try PlainSQL(url: url).rows("SELECT label FROM _howdah_migration") == [["names"]])
        }
    }
}
