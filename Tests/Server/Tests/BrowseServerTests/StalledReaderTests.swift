import Foundation
import HowdahBrowse
import Hummingbird
import Logging
import Testing

@testable import HowdahBrowseServer

/// Readers that take a response slowly, or not at all.
@Suite(.timeLimit(.minutes(5))) struct StalledReaderTests {
    /// Runs `body` with a socket that has asked a server for an endless response.
    ///
    /// - Parameter limit: The milliseconds after which the server closes the connection.
    private func withSocket(limit: Int64, _ body: (Int32) async throws -> Void) async throws {
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        var logger = Logger(label: "stalled")
        logger.logLevel = .critical
        let application = Application(
            responder: CallbackResponder<BasicRequestContext> { _, _ in
                let parts = AsyncThrowingStream { Array(repeating: UInt8(ascii: "x"), count: 1 << 20) }
                return Response(BrowseResponse(body: .stream(parts)))
            },
            server: .http1(
                configuration: .init(additionalChannelHandlers: [StalledReader(limit: .milliseconds(limit))])),
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { listening.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let server = Task { try await application.run() }
        defer { server.cancel() }
        var iterator = ports.makeAsyncIterator()
        let port = try #require(await iterator.next())
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0)
        let request = Array("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        try #require(send(client, request, request.count, 0) == request.count)
        try await body(client)
    }

    /// Runs `body` on a thread of its own, so that no test that occupies Swift's threads can stall this reader.
    private func onThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }

    /// Reads up to a number of bytes, and returns how many came before the end of the connection.
    private func read(_ most: Int, from client: Int32) -> Int {
        var (bytes, count) = ([UInt8](repeating: 0, count: 1 << 16), 0)
        while count < most {
            let read = recv(client, &bytes, min(bytes.count, most - count), 0)
            if read <= 0 { break }
            count += read
        }
        return count
    }

    @Test("The connection of a reader that takes nothing is closed")
    func stalled() async throws {
        try await withSocket(limit: 500) { client in
            try await Task.sleep(for: .seconds(2))
            #expect(await onThread { read(64 << 20, from: client) } < 64 << 20)
        }
    }

    @Test("A slow reader gets everything")
    func slow() async throws {
        // Longer than a busy machine holds up a thread, and shorter than all of the reading.
        try await withSocket(limit: 4_000) { client in
            let short = await onThread { () -> Int? in
                let end = ContinuousClock.now + .seconds(8)
                while .now < end {
                    usleep(50_000)
                    let count = read(2 << 20, from: client)
                    if count < 2 << 20 { return count }
                }
                return nil
            }
            #expect(short == nil)
        }
    }

    @Test("A long part is written in pieces")
    func pieces() {
        let sizes = [UInt8](repeating: 7, count: 600_000).pieces.map(\.readableBytes)
        #expect(sizes == [262_144, 262_144, 75_712])
        #expect([UInt8]().pieces.map(\.readableBytes) == [])
    }
}
