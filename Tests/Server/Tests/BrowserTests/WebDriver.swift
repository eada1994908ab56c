import AsyncHTTPClient
import Foundation
import Testing

/// A session of chromedriver, which `scripts/check-browser` starts.
///
/// Foundation's client cannot read the responses of chromedriver, which have no space after a field's colon.
struct WebDriver: Sendable {
    private let session: String

    /// Runs `body` with a browser of its own, whose requests reach only this machine.
    static func run(
        resolving host: String? = nil, _ body: (WebDriver) async throws -> Void
    ) async throws {
        let address = try #require(
            ProcessInfo.processInfo.environment["HOWDAH_CHROMEDRIVER"], "Run scripts/check-browser.")
        let rules =
            host.map { "MAP \($0) 127.0.0.1, EXCLUDE 127.0.0.1" } ?? "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
        var arguments = [
            "--headless=new", "--disable-dev-shm-usage", "--window-size=1200,900", "--hide-scrollbars",
            "--host-resolver-rules=\(rules)", "--force-device-scale-factor=1", "--lang=en",
        ]
        // Chromium refuses to run as root with its sandbox.
        if getuid() == 0 { arguments.append("--no-sandbox") }
        let wanted: [String: any Sendable] = [
            "browserName": "chrome", "goog:chromeOptions": ["args": arguments],
            "goog:loggingPrefs": ["browser": "ALL"],
        ]
        let begun: Begun = try await send(
            .POST, address + "/session", ["capabilities": ["alwaysMatch": wanted] as [String: any Sendable]])
        let driver = WebDriver(session: "\(address)/session/\(begun.sessionId)")
        do {
            try await body(driver)
        } catch {
            try? await driver.quit()
            throw error
        }
        try await driver.quit()
    }

    private struct Begun: Decodable { let sessionId: String }

    private func quit() async throws { let _: Nothing = try await Self.send(.DELETE, session, [:]) }

    /// Opens an address and waits until it is loaded.
    func open(_ address: String) async throws { try await post("url", ["url": address]) }

    /// Runs JavaScript, which the policy of the page does not restrict, and returns its result.
    func script<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) async throws -> Value {
        try await Self.send(
            .POST, session + "/execute/sync", ["script": text, "args": [String]()] as [String: any Sendable])
    }

    /// Runs JavaScript that returns nothing.
    func run(_ text: String) async throws { let _: Nothing = try await script(text) }

    /// Runs JavaScript that returns a promise.
    func promise<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) async throws -> Value {
        try await script("return (async () => { \(text) })()")
    }

    /// Waits until an expression of JavaScript is true.
    func wait(until expression: String, seconds: Double = 15, _ place: SourceLocation = #_sourceLocation)
        async throws
    {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if try await script("return Boolean(\(expression))") { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("Not true after \(seconds) s: \(expression)", sourceLocation: place)
    }

    /// Keys that have no character, as WebDriver names them.
    enum Key {
        static let tab = "\u{E004}"
        static let enter = "\u{E007}"
        static let escape = "\u{E00C}"
        static let up = "\u{E013}"
        static let down = "\u{E015}"
    }

    /// Types keys where the focus is.
    func type(_ keys: String) async throws {
        let actions = keys.map { String($0) }.flatMap { key -> [[String: String]] in
            [["type": "keyDown", "value": key], ["type": "keyUp", "value": key]]
        }
        let source: [String: any Sendable] = ["type": "key", "id": "keys", "actions": actions]
        try await post("actions", ["actions": [source]])
    }

    /// The text of the element that a selector finds; empty if there is none.
    func text(_ selector: String) async throws -> String {
        try await script("return document.querySelector(\"\(selector)\")?.textContent ?? ''")
    }

    /// The selector's elements' texts.
    func texts(_ selector: String) async throws -> [String] {
        try await script("return [...document.querySelectorAll(\"\(selector)\")].map(e => e.textContent)")
    }

    /// The address of the page without the origin, decoded.
    func address() async throws -> String {
        try await script("return decodeURIComponent(location.pathname + location.search)")
    }

    /// Clicks the element that a selector finds.
    func click(_ selector: String) async throws {
        try await run("document.querySelector(\"\(selector)\").click()")
    }

    /// Sends a command of the developer tools.
    func tools(_ command: String, _ parameters: [String: any Sendable]) async throws {
        try await post("goog/cdp/execute", ["cmd": command, "params": parameters])
    }

    /// Sets the size of the page and the preferred colours.
    func show(width: Int, height: Int = 900, dark: Bool) async throws {
        try await tools(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
        let feature = ["name": "prefers-color-scheme", "value": dark ? "dark" : "light"]
        try await tools("Emulation.setEmulatedMedia", ["features": [feature]])
    }

    /// Writes a picture of the window as PNG.
    func picture(to file: URL) async throws {
        let text: String = try await Self.send(.GET, session + "/screenshot", nil)
        try #require(Data(base64Encoded: text)).write(to: file)
    }

    /// Returns the messages of the console since the last call.
    func console() async throws -> [String] {
        struct Entry: Decodable { let message: String }
        let entries: [Entry] = try await Self.send(.POST, session + "/se/log", ["type": "browser"])
        return entries.map(\.message)
    }

    private func post(_ path: String, _ body: [String: any Sendable]) async throws {
        let _: Nothing = try await Self.send(.POST, "\(session)/\(path)", body)
    }

    private enum Method: String { case GET, POST, DELETE }

    private struct Nothing: Decodable { init(from decoder: any Decoder) {} }

    private struct Answer<Value: Decodable>: Decodable { let value: Value }

    /// A response of chromedriver that is an error.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static func send<Value: Decodable>(
        _ method: Method, _ address: String, _ body: [String: any Sendable]?
    ) async throws -> Value {
        var request = HTTPClientRequest(url: address)
        request.method = .init(rawValue: method.rawValue)
        if let body { request.body = .bytes(try JSONSerialization.data(withJSONObject: body)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        var bytes: [UInt8] = []
        for try await part in response.body { bytes += part.readableBytesView }
        guard response.status.code == 200 else {
            throw Failure(description: String(decoding: bytes.prefix(2_000), as: UTF8.self))
        }
        return try JSONDecoder().decode(Answer<Value>.self, from: Data(bytes)).value
    }
}
