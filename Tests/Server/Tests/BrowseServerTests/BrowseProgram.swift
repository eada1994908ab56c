import AsyncHTTPClient
import Foundation
import Testing

/// A running `howdah browse`, and requests to it.
final class BrowseProgram: Sendable {
    let process: Process
    /// The printed address.
    let address: String
    /// The part of the address before the path.
    let origin: String

    /// - Parameters:
    ///   - path: The folders of programs; those of the tests if nil.
    ///   - complaints: The receiver of standard error; that of the tests if nil.
    init(_ arguments: [String], path: String? = nil, complaints: Pipe? = nil) async throws {
        process = Process()
        process.executableURL = try Self.executable()
        process.arguments = ["browse"] + arguments
        if let path {
            process.environment = ProcessInfo.processInfo.environment.merging(["PATH": path]) { $1 }
        }
        if let complaints { process.standardError = complaints }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        address = await Task.detached {
            String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }.value.trimmingCharacters(in: .newlines)
        origin = address.split(separator: "/?").first.map(String.init) ?? ""
    }

    /// Returns the text that a pipe has, and waits for some.
    static func text(of pipe: Pipe) async -> String {
        await Task.detached { String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self) }.value
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Sends SIGTERM, and returns the status of the process.
    func end() async -> Int32 {
        process.terminate()
        for _ in 0..<1_000 where process.isRunning { try? await Task.sleep(for: .milliseconds(10)) }
        return process.isRunning ? -1 : process.terminationStatus
    }

    /// Runs the command, which must fail, and returns its status and standard error.
    static func failure(_ arguments: [String]) throws -> (status: Int32, complaint: String) {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = ["browse"] + arguments
        let complaint = Pipe()
        process.standardError = complaint
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let text = complaint.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    /// The response to a request without redirection.
    func ask(
        _ path: String, method: HTTPMethod = .GET, _ fields: [String: String] = [:]
    ) async throws -> (status: UInt, headers: [String: String], body: String) {
        try await Self.ask(origin + path, method: method, fields)
    }

    /// Exchanges the printed address for a cookie.
    func session() async throws -> [String: String] {
        let response = try await Self.ask(address)
        #expect(response.status == 303 && response.headers["location"] == "/")
        let cookie = try #require(response.headers["set-cookie"])
        #expect(cookie.contains("; HttpOnly; SameSite=Strict"))
        return ["Cookie": String(cookie.prefix { $0 != ";" })]
    }

    static func ask(
        _ url: String, method: HTTPMethod = .GET, _ fields: [String: String] = [:]
    ) async throws -> (status: UInt, headers: [String: String], body: String) {
        var request = HTTPClientRequest(url: url)
        request.method = .init(rawValue: method.rawValue)
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        let response = try await client.execute(request, timeout: .seconds(30))
        var body: [UInt8] = []
        for try await part in response.body { body += part.readableBytesView }
        let headers = Dictionary(response.headers.map { ($0.name.lowercased(), $0.value) }) { $0 + ", " + $1 }
        return (response.status.code, headers, String(decoding: body, as: UTF8.self))
    }

    enum HTTPMethod: String { case GET, HEAD, POST, PUT }

    /// A browser would follow redirections, and the tests look at them.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    private static func executable() throws -> URL {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let program = folder.appending(path: "howdah")
        try #require(
            FileManager.default.isExecutableFile(atPath: program.path), "The program howdah is not built.")
        return program
    }
}
