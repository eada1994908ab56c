import Howdah
import HowdahTesting
import StagedModels
import Synchronization
import TestSupport
import Testing

/// Migrations as events of the container that opens the store.
@Suite(.needsSession) struct ObservedMigrationTests {
    private struct Mishap: Error {}

    private final class Recorder: StoreObserver {
        let reports = Mutex<[StoreEvent.MigrationReport]>([])
        let statements = Mutex<[StoreEvent.StatementReport]>([])

        func observe(_ event: StoreEvent) {
            switch event {
            case .migration(let report): reports.withLock { $0.append(report) }
            case .statement(let statement): statements.withLock { $0.append(statement) }
            default: break
            }
        }
    }

    @Test func openingReportsTheMigration() async throws {
        try await LogbookStore.with { store in
            let recorder = Recorder()
            var options = StoreOptions()
            options.observer = recorder
            options.stagedMigrationManager = StagedMigrationManager([
                MigrationStage.custom(
                    from: Logbook.V1.self, to: Logbook.V2.self, willMigrate: { _ in throw Mishap() })
            ])
            await #expect(throws: StoreError.self) {
                try await PersistentContainer.open(store.url, model: Logbook.V2.model, options: options)
                    .close()
            }
            options.stagedMigrationManager = StagedMigrationManager(Logbook.Plan.self)
            for _ in 0..<2 {
                try await PersistentContainer.open(store.url, model: Logbook.V4.model, options: options)
                    .close()
            }
            let reports = recorder.reports.withLock(\.self)
            // Opening a store that has the model is no migration.
            #expect(reports.map(\.stageCount) == [0, 3])
            #expect(reports.map(\.work) == [.stages, .stages])
            #expect(reports.map { $0.error == nil } == [false, true])
            #expect(reports.allSatisfy { $0.duration > .zero })
            // Names of statements are not parsed: the steps are parts of a migration, and the rest of an opening.
            let statements = recorder.statements.withLock(\.self)
            for statement in statements { #expect(statement.operation != nil, "\(statement.texts)") }
            #expect(Set(statements.map(\.summary)).isSuperset(of: ["OPEN", "MIGRATE"]))
        }
    }
}
