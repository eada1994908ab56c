package import HowdahModel
package import HowdahRuntime
package import HowdahTesting

/// Runs `body` with a database that holds an empty store of `model`; its connection string leads through the
/// ``TestPooler``, if there is one.
nonisolated(nonsending)
    package func withTestDatabase<T>(
        for model: ManagedObjectModel, options: StoreOptions = StoreOptions(),
        _ body: (TemporaryDatabase) async throws -> T
    ) async throws -> T
{
    try await HowdahTesting.withTemporaryDatabase(for: model, options: options) { database in
        var database = database
        database.url = try TestPooler.pooled(database.url)
        return try await body(database)
    }
}

/// Runs `body` with an open store in a database of its own, by way of the ``TestPooler``, if there is one.
nonisolated(nonsending)
    package func withTestStore<T>(
        _ model: ManagedObjectModel, options: StoreOptions = StoreOptions(),
        _ body: (PersistentContainer) async throws -> T
    ) async throws -> T
{
    try await withTestDatabase(for: model, options: options) { database in
        let container = try await PersistentContainer.open(database.url, model: model, options: options)
        container.statementLog.start()
        do {
            let result = try await body(container)
            await container.close(drainingFor: .seconds(5))
            return result
        } catch {
            await container.close(drainingFor: .seconds(5))
            throw error
        }
    }
}
