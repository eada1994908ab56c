import Foundation
import Howdah
import HowdahBrowse
import HowdahBrowseServer
import Hummingbird
import Logging
import Synchronization
import Testing

/// A server with the pages of a store, behind their gate, in the process of the tests.
struct Pages: Sendable {
    /// The part of the addresses before the path.
    let origin: String
    /// The address that gives the session; it works once.
    let entrance: String
    /// The store of the pages.
    let container: PersistentContainer
    /// The address of its database.
    let database: String

    /// Runs `body` with a server that ends after it.
    static func run(
        _ container: PersistentContainer, of database: String, _ body: (Pages) async throws -> Void
    ) async throws {
        let site = Site()
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "pages")
        logger.logLevel = .critical
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                guard let site = site.value.withLock({ $0 }) else {
                    return Response(status: .serviceUnavailable)
                }
                return await site.respond(to: request)
            },
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { listening.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let server = Task { try await application.run() }
        defer { server.cancel() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let gate = BrowseGate(port: port)
        site.value.withLock { $0 = BrowseSite(container, gate: gate) }
        try await body(
            Pages(
                origin: "http://127.0.0.1:\(port)", entrance: try #require(gate.url), container: container,
                database: database))
    }

    private final class Site: Sendable {
        let value = Mutex<BrowseSite?>(nil)
    }
}
