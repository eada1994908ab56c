import Howdah
import Hummingbird
import Testing

@testable import Tracker

extension TrackerTests {
    /// Bodies of requests, without a server.
    @Suite struct BodyTests {
        private struct Ended: Error {}

        /// Returns the problem of a body with these parts, which can end in the middle.
        private func problem(of parts: [String], isCut: Bool = false) async throws -> ProblemDetails {
            let stream = AsyncThrowingStream<ByteBuffer, any Error> { source in
                for part in parts { source.yield(ByteBuffer(string: part)) }
                source.finish(throwing: isCut ? Ended() : nil)
            }
            let request = Request(
                head: .init(method: .post, scheme: nil, authority: nil, path: "/"),
                body: .init(asyncSequence: stream))
            return try await #require(throws: ProblemDetails.self) {
                _ = try await request.document([String: Int].self)
            }
        }

        @Test("A body that ends early, is too long, or is wrong, is the fault of the client")
        func faults() async throws {
            #expect(try await problem(of: ["{"], isCut: true).code == "brokenBody")
            #expect(try await problem(of: ["{"]).code == "invalidBody")
            let wrong = try await problem(of: ["{\"a\":", "\"x\"}"])
            #expect(wrong.status == 400 && wrong.errors.map(\.pointer) == ["/a"])
            let megabyte = String(repeating: " ", count: 1 << 20)
            #expect(try await problem(of: [megabyte, "{}"]).status == 413)
        }
    }
}
