import Howdah
import Hummingbird
import JWTKit

/// The user who sent a request, and the team whose objects the user sees.
struct Principal: Hashable, Sendable {
    let user: ObjectID<User>
    let team: ObjectID<Team>
}

/// Reads the token of a request.
struct PrincipalMiddleware: RouterMiddleware {
    let container: PersistentContainer
    let tokens: Tokens
    let users: KnownUsers

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        guard let header = request.headers[.authorization], header.prefix(7).lowercased() == "bearer ",
            let token = try? await tokens.verify(String(header.dropFirst(7))),
            let user = container.objectID(User.self, pathComponent: token.sub.value),
            let team = container.objectID(Team.self, pathComponent: token.team)
        else { throw ProblemDetails.unauthorized }
        let principal = Principal(user: user, team: team)
        guard try await users.contains(principal) else { throw ProblemDetails.unauthorized }
        var context = context
        context.signIn(principal)
        return try await next(request, context)
    }
}
