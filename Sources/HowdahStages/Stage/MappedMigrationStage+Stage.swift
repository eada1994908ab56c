import Foundation
package import HowdahMigration
import HowdahModel
import HowdahRuntime
import Logging
import PQClient

extension MappedMigrationStage: MigrationStageConvertible {
    /// The stage as a ``MigrationStage``.
    public var stage: MigrationStage { .mapped(self) }
}

extension MappedMigrationStage {
    /// The planner and runner of the stage, which uses only the session of the migration.
    ///
    /// It is for stages from a file, when no store is being opened.
    package var mappingOnItsSession: StageMapping {
        { from, to, schemaName throws(MigrationError) in
            let identifier = UUID()
            let mapped = try MappedPlan(
                self, from: from, to: to, schemaName: schemaName, storeIdentifier: identifier,
                transformers: [])
            let policies = policies
            return (
                mapped.plan,
                StageHandlers(mapping: { connection, running in
                    var options = StoreOptions()
                    options.schemaName = schemaName
                    // Contexts come with both, and work on the session alone.
                    let workers = WorkerPool(maximumThreads: 1, name: "howdah")
                    let pool = ConnectionPool(
                        configuration: try ConnectionConfiguration(""), maximumConnections: 1,
                        cleansSessions: false)
                    defer {
                        _ = pool.closeAndWait(drainingFor: .zero)
                        workers.shutdown()
                    }
                    let rows = try RowEstimates.of(AsideSchema.name(for: schemaName), on: connection)
                    let contexts = StageContexts(
                        identifier: identifier, options: options, rows: rows, pool: pool, workers: workers,
                        log: StatementLog(logger: options.logger))
                    try MappingRun(
                        mapped: mapped, source: contexts.store(mapped.layouts.source),
                        destination: contexts.store(mapped.layouts.destination), policies: policies,
                        models: (from, to)
                    ).run(on: connection, running)
                }), mapped.losses
            )
        }
    }
}
