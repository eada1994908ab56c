import Howdah
import HowdahTesting
import TestSupport
import Testing

@testable import HowdahRuntime

/// A company store with a history, and a second container on it, which stands for another process.
struct LiveStore: Sendable {
    let container: PersistentContainer
    let other: PersistentContainer
    let url: String

    /// Runs `body` with a store of its own.
    ///
    /// - Parameter url: An empty database; nil for one of the server that the tests share.
    nonisolated(nonsending)
        static func with<T>(
            connections: Int = 4, waiting wait: Duration? = nil, isDurable: Bool = false,
            at url: String? = nil, _ model: ManagedObjectModel? = nil,
            _ body: (LiveStore) async throws -> T
        ) async throws -> T
    {
        let model = try model ?? Company.model()
        var options = StoreOptions()
        options.history = .enabled
        options.keepsHistory = false
        options.maximumConnections = connections
        if let wait { options.connectionWait = wait }
        options = options.patient
        options.changePolling = .milliseconds(10)
        let made = options
        if let url { return try await with(made, model, at: url, body) }
        return try await withTestDatabase(for: model, options: made) { database in
            if isDurable {
                // A server without synchronous commits flushes its log, and so an edge of the history, up to 0.6 s late.
                try PlainSQL(url: database.url).script(
                    """
                    DO $$ BEGIN
                        EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database());
                    END $$
                    """)
            }
            return try await with(made, model, at: database.url, body)
        }
    }

    private nonisolated(nonsending)
        static func with<T>(
            _ options: StoreOptions, _ model: ManagedObjectModel, at url: String,
            _ body: (LiveStore) async throws -> T
        ) async throws -> T
    {
        let container = try await PersistentContainer.open(url, model: model, options: options)
        let other = try await PersistentContainer.open(url, model: model, options: options)
        do {
            let result = try await body(LiveStore(container: container, other: other, url: url))
            await other.close(drainingFor: .seconds(5))
            await container.close(drainingFor: .seconds(5))
            return result
        } catch {
            await other.close(drainingFor: .seconds(5))
            await container.close(drainingFor: .seconds(5))
            throw error
        }
    }
}

/// A follower of a result that replays what it is given.
struct Replay<Object: ManagedObject> {
    var iterator: FetchedResults<Object>.Iterator
    var sections: [FetchedResultsSection<Object>] = []
    var updates = 0

    init(_ results: FetchedResults<Object>) { iterator = results.makeAsyncIterator() }

    var ids: [ObjectID<Object>] { sections.flatMap(\.objectIDs) }

    /// Takes the update with everything that is committed now; nil if nothing changed.
    @discardableResult
    mutating func catchUp() async throws -> FetchedResultsUpdate<Object>? {
        guard let update = try await iterator.caughtUp() else { return nil }
        take(update)
        return update
    }

    /// Replays an update.
    mutating func take(_ update: FetchedResultsUpdate<Object>) {
        updates += 1
        switch update {
        case .snapshot(let all): sections = all
        case .changes(let difference): sections.apply(difference)
        }
    }

    /// Takes the changes with everything that is committed now.
    mutating func changes() async throws -> FetchedResultsDifference<Object>? {
        guard case .changes(let difference)? = try await catchUp() else { return nil }
        return difference
    }
}
