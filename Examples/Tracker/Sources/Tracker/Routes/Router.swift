import Howdah
import Hummingbird

extension TrackerApp {
    /// The addresses of the server.
    static func router(
        _ configuration: Configuration, _ container: PersistentContainer, _ boards: Boards,
        _ draining: Draining
    ) async throws -> Router<AppContext> {
        let tokens = try await Tokens(secret: configuration.secret)
        let router = Router(context: AppContext.self, options: .autoGenerateHeadEndpoints)
        // Searches and conditions are texts of users, and cursors hold values.
        router.add(
            middleware: TracingMiddleware(redactingQueryParameters: ["q", "where", "after", "before", "of"]))
        router.add(middleware: MetricsMiddleware())
        router.add(middleware: HeadMiddleware())
        router.add(middleware: DrainingMiddleware(draining: draining))
        router.add(middleware: ProblemMiddleware())
        HealthRoutes(container: container, draining: draining).add(to: router)
        let login = LoginRoutes(container: container, tokens: tokens)
        login.add(to: router)
        AdminRoutes(login: login, administrators: configuration.administrators).add(to: router)

        let users = KnownUsers(container)
        let routes = router.group().add(
            middleware: PrincipalMiddleware(container: container, tokens: tokens, users: users))
        ProjectRoutes(container: container).add(to: routes)
        IssueListRoutes(container: container).add(to: routes)
        IssueRoutes(container: container).add(to: routes)
        CommentRoutes(container: container).add(to: routes)
        LabelRoutes(container: container).add(to: routes)
        AttachmentRoutes(container: container).add(to: routes)
        BoardRoutes(container: container, boards: boards, users: users, patience: configuration.patience)
            .add(to: routes)
        SearchRoutes(container: container).add(to: routes)
        return router
    }
}
