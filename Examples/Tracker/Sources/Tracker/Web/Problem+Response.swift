import Howdah
import Hummingbird

extension ProblemDetails: @retroactive ResponseGenerator {
    static let unauthorized = ProblemDetails(
        401, "unauthorized", "The request has no valid token. Log in again.")
    static let notFound = ProblemDetails(404, "notFound", "There is no such object. Correct the address.")

    /// Creates a problem with one place in the body of the request, as a JSON pointer.
    init(_ status: Int, _ code: String, _ detail: String, at pointer: String) {
        self.init(status, code, detail, [Part(pointer: pointer, code: code, detail: detail)])
    }

    /// Returns the problem as the answer.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        var headers: HTTPFields = [.contentType: ProblemDetails.mediaType]
        if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
        if status == 401 { headers[.wwwAuthenticate] = "Bearer" }
        return Response(
            status: .init(code: status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: try json())))
    }
}

/// Answers each error of a handler with its problem, and logs those that are the server's.
struct ProblemMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let problem = problem(of: error, request)
            if problem.status >= 500, !(error is ProblemDetails), !(error is CancellationError) {
                context.logger.error("\(request.method) \(request.uri.path): \(error)")
            }
            return try problem.response(from: request, context: context)
        }
    }

    private func problem(of error: any Error, _ request: Request) -> ProblemDetails {
        if let error = error as? any HTTPResponseError {
            let text = (error as? HTTPError)?.body ?? error.status.reasonPhrase
            return ProblemDetails(error.status.code, "http", text)
        }
        return ProblemDetails(error, hasPrecondition: request.headers[.ifMatch] != nil)
    }
}
