import Howdah
import Hummingbird
import NIOCore

extension ProblemDetails: @retroactive ResponseGenerator {
    /// Returns the problem as the answer.
    public func response(from request: Request, context: some RequestContext) throws -> Response {
        var headers: HTTPFields = [.contentType: ProblemDetails.mediaType]
        if let retryAfter { headers[.retryAfter] = "\(retryAfter)" }
        return Response(
            status: .init(code: status), headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: try json())))
    }
}

/// Answers each error of a handler with its problem.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as any HTTPResponseError {
            throw error
        } catch {
            return try ProblemDetails(error, hasPrecondition: request.headers[.ifMatch] != nil)
                .response(from: request, context: context)
        }
    }
}
