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
            guard let buffer = try await base.next() else { return nil }
            rest -= buffer.readableBytes
            guard rest >= 0 else {
                throw ProblemDetails(413, "tooLarge", "The file is too large. Send a smaller one.")
            }
            return Data(buffer.readableBytesView)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator(), rest: limit)
    }
}
