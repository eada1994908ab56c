import Hummingbird

/// Takes the body from each answer to HEAD, also from those that no route made.
///
/// A client takes the body for the beginning of the next answer of the connection.
struct HeadMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        return request.method == .head ? response.createHeadResponse() : response
    }
}
