#if Browser || All
import Foundation
package import HowdahBrowse
package import HowdahRuntime
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import UnixSignals

/// The server of `howdah browse`, for one reader on this machine.
package struct BrowseServer: Sendable {
    private let url: String
    private let options: StoreOptions
    private let port: Int
    private let target: BrowseTarget?

    /// Creates a server that listens only at 127.0.0.1.
    ///
    /// - Parameters:
    ///   - url: The address of the database.
    ///   - options: The schema and the pooler of the store.
    ///   - port: The port; a free one if 0.
    ///   - target: The model to which a migration is planned; nil for none.
    package init(of url: String, options: StoreOptions, port: Int, target: BrowseTarget? = nil) {
        (self.url, self.options, self.port, self.target) = (url, options, port, target)
    }

    /// Opens the store and answers requests until the process receives SIGINT or SIGTERM.
    ///
    /// - Parameter started: Receives the address to open, when the server answers at it.
    /// - Throws: `BrowseServerError` if the port cannot be had; the errors of opening a store, and of `started`.
    package func run(started: @Sendable @escaping (String) throws -> Void) async throws {
        let pages = Pages()
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let group = services(of: pages) { listening.yield($0) }
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { listening.finish() }
                    try await Self.run(group)
                }
                // No port: the server has ended, and its task has the reason.
                for await port in ports {
                    let gate = BrowseGate(port: port)
                    pages.show(
                        try await BrowseSite.opening(
                            url, options: options, gate: gate, target: target))
                    if let address = gate.url { try started(address) }
                }
                try await tasks.waitForAll()
            }
        } catch let error as IOError {
            await pages.close()
            throw BrowseServerError(port: port, isInUse: error.errnoCode == EADDRINUSE)
        } catch {
            await pages.close()
            throw error
        }
        await pages.close()
    }

    /// The time for which a reader may take nothing of a response.
    private static let patience = TimeAmount.seconds(60)

    private func services(
        of pages: Pages, listening: @escaping @Sendable (Int) -> Void
    ) -> ServiceGroup {
        var logger = Logger(label: "howdah.browse")
        logger.logLevel = .critical
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { request, _ in
                await pages.respond(to: request)
            },
            server: .http1(
                configuration: .init(additionalChannelHandlers: [StalledReader(limit: Self.patience)])),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { listening($0.localAddress?.port ?? 0) }, logger: logger)
        var configuration = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigint, .sigterm], logger: logger)
        // A download that is not finished by then is cut off.
        configuration.maximumGracefulShutdownDuration = .seconds(2)
        return ServiceGroup(configuration: configuration)
    }

    private static func run(_ group: ServiceGroup) async throws {
        do {
            try await group.run()
        } catch is CancellationError {
            // The shutdown cut a response off.
        }
    }
}

/// The pages of a store that opens after the server has its port.
private final class Pages: Sendable {
    private let site = Mutex<BrowseSite?>(nil)

    func show(_ site: BrowseSite) { self.site.withLock { $0 = site } }

    func close() async { await site.withLock { $0 }?.close() }

    func respond(to request: Request) async -> Response {
        guard let site = site.withLock({ $0 }) else { return Response(status: .serviceUnavailable) }
        return await site.respond(to: request)
    }
}

/// A port at which the server cannot listen.
package struct BrowseServerError: Error {
    /// The port.
    package let port: Int
    /// Indicates whether another program listens at the port.
    package let isInUse: Bool
}
#endif
