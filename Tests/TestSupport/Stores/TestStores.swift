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
    let watch = SwiftThreadWatch.shared
    return try await HowdahTesting.withTemporaryDatabase(for: model, options: options) { database in
        try await watch.naming {
            var database = database
            database.url = try TestPooler.pooled(database.url)
            return try await body(database)
        }
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
        let container = try await PersistentContainer.open(
            database.url, model: model, options: options.patient)
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

extension StoreOptions {
    /// The options with ten minutes for a connection, unless the test sets a time itself.
    ///
    /// A small machine that builds beside the tests, or stands still, holds them up for longer than the half a minute that
    /// programs wait.
    package var patient: StoreOptions {
        var options = self
        if connectionWait == StoreOptions().connectionWait { options.connectionWait = .seconds(600) }
        return options
    }
}
