import Foundation
import Testing

/// The program in a process of its own.
final class ServerProcess: @unchecked Sendable {
    static let secret = "a secret of the tests, with 32 characters"
    let port: Int
    private let process = Process()

    /// Starts a server on a free port, and waits until it is ready.
    static func serve(_ database: String, _ environment: [String: String] = [:]) async throws -> ServerProcess
    {
        let server = try ServerProcess("serve", database, environment)
        try await server.waitUntilReady()
        return server
    }

    /// Starts a worker without an address.
    static func work(_ database: String) throws -> ServerProcess { try ServerProcess("work", database, [:]) }

    /// Starts a server that is expected to end at once, and returns its exit status and what it reported.
    static func failure(_ database: String, port: Int) async throws -> (status: Int32, text: String) {
        let server = try ServerProcess("serve", database, ["PORT": "\(port)"], errors: Pipe())
        let status = try await server.status()
        let errors = server.process.standardError as? Pipe
        let text = try errors?.fileHandleForReading.readToEnd()
        return (status, String(decoding: text ?? Data(), as: UTF8.self))
    }

    private init(
        _ command: String, _ database: String, _ environment: [String: String], errors: Pipe? = nil
    ) throws {
        port = try Self.freePort()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "Tracker")
        process.arguments = [command]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "HOWDAH_DATABASE": database, "PORT": "\(port)", "TRACKER_SECRET": Self.secret,
            "TRACKER_NOTICE": "1", "LOG_LEVEL": "warning",
        ]) { $1 }.merging(environment) { $1 }
        if let errors { process.standardError = errors }
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    var isRunning: Bool { process.isRunning }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end, and returns the exit status.
    func status() async throws -> Int32 {
        try await wait("The process does not end.") { !self.process.isRunning }
        return process.terminationStatus
    }

    func stop() async throws {
        send(SIGTERM)
        _ = try await status()
    }

    private func waitUntilReady() async throws {
        let client = Client(self)
        try await wait("The server does not start.") {
            guard self.process.isRunning else { throw Stopped() }
            return (try? await client.get("/readyz"))?.status == 200
        }
    }

    private struct Stopped: Error {}

    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(bound)
        return Int(UInt16(bigEndian: address.sin_port))
    }
}

/// Waits for a state that the test can ask for.
func wait(
    _ complaint: Comment, within limit: Duration = .seconds(120), until isReached: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await !isReached() {
        try #require(ContinuousClock.now < end, complaint)
        try await Task.sleep(for: .milliseconds(50))
    }
}
