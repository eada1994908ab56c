import Howdah
import Logging
import ServiceLifecycle

/// The boards that clients watch.
///
/// One live result follows each board, for any number of clients. A client that reads slowly skips states, and still
/// ends with the newest.
actor Boards: Service {
    private struct Feed {
        var loop: Task<Void, Never>?
        var board: Board?
        var clients: [Int: AsyncStream<Board>.Continuation] = [:]
    }

    private let container: PersistentContainer
    private let logger = Logger(label: "tracker.boards")
    private var feeds: [ObjectID<Project>: Feed] = [:]
    private var lastClient = 0
    private var hasEnded = false

    init(_ container: PersistentContainer) { self.container = container }

    /// Returns the states of a board, from the present one on.
    func states(of project: ObjectID<Project>) throws -> AsyncStream<Board> {
        guard !hasEnded else { throw ProblemDetails(503, "draining", nil, retryAfter: 1) }
        let (stream, client) = AsyncStream.makeStream(of: Board.self, bufferingPolicy: .bufferingNewest(1))
        lastClient += 1
        let number = lastClient
        client.onTermination = { _ in Task { await self.remove(number, from: project) } }
        var feed = feeds[project] ?? Feed()
        feed.clients[number] = client
        if let board = feed.board { client.yield(board) }
        if feed.loop == nil { feed.loop = Task { await self.follow(project) } }
        feeds[project] = feed
        return stream
    }

    /// Ends all streams. Their clients come back to another server.
    func end() {
        hasEnded = true
        for project in Array(feeds.keys) { end(project) }
    }

    /// Sends a sign of life to clients of quiet boards, so that broken connections are noticed.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(15))) != nil {
                await self.endDeleted()
                await self.repeatAll()
            }
        }
    }

    private func follow(_ project: ObjectID<Project>) async {
        do {
            for try await _ in container.fetchedResults(Board.request(project)) {
                publish(try await board(of: project), of: project)
            }
        } catch is CancellationError {
        } catch {
            logger.error("A board ended: \(error)")
        }
        if !Task.isCancelled { end(project) }
    }

    private func board(of project: ObjectID<Project>) async throws -> Board {
        while true {
            do {
                return try await container.perform(isolation: .repeatableRead) { context in
                    try Board(of: project, in: context)
                }
            } catch  where ProblemDetails(error).status == 503 {
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private func publish(_ board: Board, of project: ObjectID<Project>) {
        feeds[project]?.board = board
        for client in (feeds[project]?.clients ?? [:]).values { client.yield(board) }
    }

    /// Ends the streams of projects that were deleted.
    private func endDeleted() async {
        let followed = Array(feeds.keys)
        let present = try? await container.perform { context in
            Set(
                try context.fetchObjectIDs(FetchRequest<Project>(matching: .format("SELF IN %@", followed)))
                    .map { $0.typed(as: Project.self) })
        }
        // The database is away, perhaps.
        guard let present else { return }
        for project in followed where !present.contains(project) { end(project) }
    }

    private func repeatAll() {
        for (project, feed) in feeds { feed.board.map { publish($0, of: project) } }
    }

    private func end(_ project: ObjectID<Project>) {
        guard let feed = feeds.removeValue(forKey: project) else { return }
        feed.loop?.cancel()
        for client in feed.clients.values { client.finish() }
    }

    private func remove(_ client: Int, from project: ObjectID<Project>) {
        feeds[project]?.clients[client] = nil
        if feeds[project]?.clients.isEmpty == true { end(project) }
    }
}
