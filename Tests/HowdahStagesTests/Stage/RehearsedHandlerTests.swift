import HowdahMigration
import HowdahModel
import StagedModels
import Synchronization
import TestSupport
import Testing

@testable import HowdahRuntime
@testable import HowdahStages

/// Handlers know whether what they do is undone.
@Suite(.needsSession) struct RehearsedHandlerTests {
    @Test func handlersAreTold() async throws {
        try await LogbookStore.with { store in
            let told = Mutex<[Bool]>([])
            let handler: CustomMigrationStage.Handler = { context in
                let isRehearsal = context.isRehearsal
                told.withLock { $0.append(isRehearsal) }
            }
            var options = StoreOptions()
            options.stagedMigrationManager = StagedMigrationManager([
                MigrationStage.custom(
                    from: Logbook.V1.self, to: Logbook.V2.self, willMigrate: handler, didMigrate: handler)
            ])
            let report = try PersistentContainer.withMigrationPath(
                store.url, model: Logbook.V2.model, options: options
            ) { connection, path in
                let stages: MigrationPath = try #require(path)
                return try StoreMigration(connection, stages, to: Logbook.V2.model)
                    .rehearse(budget: .seconds(60))
            }
            #expect(report.isClean, "\(report)")
            #expect(told.withLock { $0 } == [true, true])
            let container = try await PersistentContainer.open(
                store.url, model: Logbook.V2.model, options: options)
            let isRehearsal = try await container.perform { $0.isRehearsal }
            await container.close()
            #expect(!isRehearsal && told.withLock { $0 } == [true, true, false, false])
        }
    }
}
