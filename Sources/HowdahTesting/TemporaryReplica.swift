public import HowdahModel
public import HowdahRuntime

/// Runs `body` with an empty store on a primary server and with replicas of it, private to the call.
///
/// Each server is a separate PostgreSQL, so starting takes about two seconds. Your body opens containers with
/// the servers' URLs, and can stop, crash, promote and copy the servers. The servers end with the call, and also
/// with the process. Three such calls run at a time, and further ones wait.
///
/// - Parameters:
///   - model: The model of the store.
///   - replicas: The number of replicas.
///   - options: The options with which the store is made.
///   - settings: Settings of all servers, such as `["synchronous_commit": "off"]`.
///   - body: The test.
/// - Throws: The error of the body; `LocalPostgresError` if PostgreSQL's server programs are missing.
nonisolated(nonsending)
    public func withTemporaryReplica<T>(
        _ model: ManagedObjectModel, replicas: Int = 1, options: StoreOptions = StoreOptions(),
        settings: [String: String] = [:], _ body: (ReplicatedStore) async throws -> T
    ) async throws -> T
{
    if !ReplicatedStore.isInside {
        try await ReplicatedStore.gate.enter()
        do {
            let result = try await ReplicatedStore.$isInside.withValue(true) {
                try await withTemporaryReplica(
                    model, replicas: replicas, options: options, settings: settings, body)
            }
            await ReplicatedStore.gate.leave()
            return result
        } catch {
            await ReplicatedStore.gate.leave()
            throw error
        }
    }
    let store = try await ReplicatedStore(settings: settings)
    do {
        let container = try await PersistentContainer.open(store.primary.url, model: model, options: options)
        await container.close()
        for _ in 0..<replicas { try await store.addReplica() }
        let result = try await body(store)
        await store.end()
        return result
    } catch {
        await store.end()
        throw error
    }
}
