import Foundation
import HowdahMigration
import HowdahModel
import HowdahRuntime
import PQClient

/// Creates the contexts of a stage's handlers, which use the session and the transaction of the stage.
struct StageContexts: Sendable {
    let identifier: UUID
    let options: StoreOptions
    /// The approximate number of rows of tables at the start.
    let rows: [String: Int]
    let pool: ConnectionPool
    let workers: WorkerPool
    let log: StatementLog

    /// Returns the closure that runs a handler of the program in a stage.
    func handler(_ body: @escaping CustomMigrationStage.Handler) -> StageHandlers.Handler {
        { connection, model in
            do {
                try run(body, on: connection, model)
            } catch {
                throw error.lockFailure ?? error
            }
        }
    }

    private func run(
        _ body: CustomMigrationStage.Handler, on connection: Connection, _ model: ManagedObjectModel
    ) throws {
        let store = try store(model)
        let context = ManagedObjectContext(store: store)
        context.isRehearsal = try StoreMigration.isRehearsed(on: connection)
        defer { context.reset() }
        try context.run(UnitOfWork(store: store, borrowing: connection)) { context in
            try body(context)
            guard !context.hasChanges else { throw UnsavedChanges() }
        }
    }

    private struct UnsavedChanges: Error, CustomStringConvertible {
        let description =
            "it left unsaved changes, which would be lost. Call save() at the end of the handler."
    }

    private func store(_ model: ManagedObjectModel) throws -> Store {
        let schema = try StoreSchema(model, schemaName: options.schemaName)
        let layouts = try StoreLayout(
            model: model, schema: schema, storeIdentifier: identifier, transformers: options.valueTransformers
        )
        return self.store(layouts)
    }

    func store(_ layouts: StoreLayout) -> Store {
        Store(
            identifier: identifier, layouts: layouts, classes: ObjectClasses(plain: layouts.entities),
            pool: pool, workers: workers,
            sizes: TableSizes(
                layouts.entities.map { layouts.schema.entities[$0.name].flatMap { rows[$0.table] } ?? 0 }),
            settings: StoreSettings(options),
            log: log)
    }
}
