import Foundation
import Howdah
import Hummingbird

/// The body of a request as data, up to a limit.
struct LimitedBody: AsyncSequence, Sendable {
    let base: RequestBody
    let limit: Int

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: RequestBody.AsyncIterator
        var rest: Int

        mutating func next() async throws -> Data? {
            let next: ByteBuffer?
            do {
                next = try await base.next()
            } catch let error where !(error is CancellationError) {
                // Not an error of the server: the client went away, or sent something else than it announced.
                throw ProblemDetails(400, "brokenBody", "The body of the request ended early. Send it again.")
            }
            guard let buffer = next else { return nil }
            rest -= buffer.readableBytes
            guard rest >= 0 else {
                throw ProblemDetails(413, "tooLarge", "The body is too large. Send a smaller one.")
            }
            return Data(buffer.readableBytesView)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator(), rest: limit)
    }
}
