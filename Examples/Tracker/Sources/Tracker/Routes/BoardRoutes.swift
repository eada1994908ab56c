import Howdah
import Hummingbird

/// The board of a project: `/board/{key}`, and its changes: `/projects/{key}/events`.
struct BoardRoutes {
    let container: PersistentContainer
    let boards: Boards
    let users: KnownUsers
    let patience: Duration

    struct Move: Decodable {
        let issue: String
    }

    func add(to routes: RouterGroup<AppContext>) {
        routes.get("board/:key", use: show).put("board/:key/:status/:position", use: move)
            .get("projects/:key/events", use: follow)
    }

    @Sendable private func show(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, key) = (try context.user, try context.text("key"))
        return try .json(
            try await container.perform(isolation: .repeatableRead) { context in
                let project = try context.project(key, for: user)
                let columns = try context.fetch(Board.request(project.objectID.typed()))
                return Page(items: columns.map(ColumnDocument.init))
            })
    }

    /// Puts an issue at a place of a column.
    @Sendable private func move(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, key, status) = (try context.user, try context.text("key"), try context.text("status"))
        let place = try context.parameters.require("position", as: Int.self)
        guard place >= 0 else { throw ProblemDetails.notFound }
        let body = try await request.document(Move.self)
        guard let id = container.objectID(Issue.self, pathComponent: body.issue) else {
            throw ProblemDetails(
                422, "unknownIssue", "There is no such issue. Choose one of the project.", at: "/issue")
        }
        try await container.perform(isolation: .readCommitted, retrying: .conflicts(upTo: 3)) { context in
            let project = try context.project(key, for: user, isLocked: true)
            let issue = try context.issue(id, for: user)
            guard issue.project === project else {
                throw ProblemDetails(
                    422, "unknownIssue", "The issue is of another project. Choose one of this project.",
                    at: "/issue")
            }
            try issue.move(to: status, at: place)
            try context.save()
        }
        return .noContent()
    }

    @Sendable private func follow(_ request: Request, _ context: AppContext) async throws -> Response {
        let (user, key) = (try context.user, try context.text("key"))
        let project = try await container.perform { context in
            try context.project(key, for: user).objectID.typed(as: Project.self)
        }
        // Without the history of the store, there is nothing to follow. That is an answer, not a stream that ends.
        do {
            _ = try await container.currentHistoryToken()
        } catch let error as HistoryError where error.code == .noHistory {
            context.logger.error("\(error)")
            throw ProblemDetails(
                503, "noHistory", "The store has no history yet, so nobody can follow the board.")
        }
        return EventStream.response(
            try await boards.states(of: project), lastEventID: request.headers[named: "Last-Event-ID"],
            patience: patience, disconnect: context.disconnect,
            // While the database is away, nobody can say so.
            isAllowed: { [users] in (try? await users.contains(user)) ?? true })
    }
}
