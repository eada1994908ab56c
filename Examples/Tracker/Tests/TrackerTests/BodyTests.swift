import Foundation
import Howdah
import Hummingbird
import HummingbirdTesting
import Testing

@testable import Tracker

extension TrackerTests {
    /// Bodies of requests and answers.
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

        @Test(
            "A date is read as ISO 8601, and only a day that exists",
            arguments: [
                ("2028-02-29T12:00:00Z", true), ("2028-02-29T12:00:00+02:00", true),
                ("2026-02-29T12:00:00Z", false), ("2026-02-30T12:00:00Z", false),
                ("2026-04-31T00:00:00Z", false),
                ("2026-13-01T00:00:00Z", false), ("2026-02-30", false), ("tomorrow", false), ("", false),
            ])
        func dates(_ text: String, isDate: Bool) async throws {
            let request = Request(
                head: .init(method: .post, scheme: nil, authority: nil, path: "/"),
                body: .init(buffer: ByteBuffer(string: "{\"a\":\"\(text)\"}")))
            if isDate {
                #expect(try await request.document([String: Date].self).count == 1)
            } else {
                let problem = try await #require(throws: ProblemDetails.self) {
                    _ = try await request.document([String: Date].self)
                }
                #expect(problem.status == 400 && problem.errors.map(\.pointer) == ["/a"])
            }
        }

        @Test("No answer to HEAD has a body")
        func head() async throws {
            try await withSeed { _, container in
                let router = try await routerUnderTest(of: container)
                router.addOtherMethods()
                try await Application(router: router).test(.router) { client in
                    let answers = [
                        ("/nowhere", 404), ("/login", 405), ("/admin", 401), ("/projects", 401),
                        ("/livez", 200),
                    ]
                    for (path, status) in answers {
                        let found = try await client.execute(uri: path, method: .head) {
                            ($0.status.code, $0.body.readableBytes)
                        }
                        #expect(found == (status, 0), "\(path)")
                    }
                }
            }
        }
    }
}
