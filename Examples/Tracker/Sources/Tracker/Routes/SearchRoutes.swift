import Howdah
import Hummingbird

/// `GET /search?q=` finds issues of the team by their words, best matches first.
struct SearchRoutes {
    let container: PersistentContainer

    func add(to routes: RouterGroup<AppContext>) { routes.get("search", use: search) }

    @Sendable private func search(_ request: Request, _ context: AppContext) async throws -> Response {
        let user = try context.user
        guard let text = try request.queryText("q"), !text.isEmpty, text.utf8.count <= 500 else {
            throw ProblemDetails(
                400, "invalidSearch", "The search 'q' is empty or too long. Search for a few words.")
        }
        return try .json(
            try await container.perform(timeout: .seconds(2)) { context in
                var fetch = FetchRequest<Issue>(matching: .format("project.team == %@", user.team))
                fetch.search = TextSearch(text, in: "title", "text", language: "english")
                fetch.fetchLimit = 20
                fetch.relationshipKeyPathsForPrefetching = ["author", "assignee"]
                return Page(items: try context.fetch(fetch).map(IssueDocument.init))
            })
    }
}
