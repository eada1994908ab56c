import Hummingbird
import ServiceLifecycle
import Synchronization

/// The first service that a shutdown reaches.
///
/// It makes the server "not ready", ends the streams, and gives the balancer time to send requests elsewhere.
final class Draining: Service {
    private let hasBegun = Atomic(false)
    private let notice: Duration
    private let boards: Boards

    init(notice: Duration, boards: Boards) {
        self.notice = notice
        self.boards = boards
    }

    var isDraining: Bool { hasBegun.load(ordering: .relaxed) }

    func run() async throws {
        try await gracefulShutdown()
        hasBegun.store(true, ordering: .relaxed)
        await boards.end()
        try await Task.sleep(for: notice)
    }
}

/// Asks clients to use another connection when the server is about to end.
struct DrainingMiddleware: RouterMiddleware {
    let draining: Draining

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if draining.isDraining { response.headers[.connection] = "close" }
        return response
    }
}
