import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An HTTP client of one server, logged in as one user.
struct Client: Sendable {
    struct Answer: Sendable {
        let status: Int
        /// The headers, by their names in small letters.
        let headers: [String: String]
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }

        var json: [String: Any] {
            get throws { try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:] }
        }

        func decoded<Document: Decodable>(_ type: Document.Type = Document.self) throws -> Document {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode(type, from: body)
        }
    }

    let session: URLSession
    let address: String
    var token: String?

    init(_ server: ServerProcess, token: String? = nil) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration)
        address = "http://127.0.0.1:\(server.port)"
        self.token = token
    }

    mutating func logIn(_ login: String, _ password: String) async throws {
        let answer = try await post("/login", ["login": login, "password": password])
        token = try answer.json["token"] as? String
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send(request("GET", path, headers))
    }

    func post(
        _ path: String, _ json: [String: any Sendable], headers: [String: String] = [:]
    ) async throws -> Answer {
        try await send("POST", path, json, headers)
    }

    func send(
        _ method: String, _ path: String, _ json: [String: any Sendable] = [:],
        _ headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = request(method, path, headers)
        if method != "DELETE" {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try JSONSerialization.data(withJSONObject: json)
        }
        return try await send(request)
    }

    /// Sends a request, and waits for its answer even if the task is cancelled.
    ///
    /// Foundation on Linux can leave a request that is cancelled without an end, and its caller waiting.
    func send(_ request: URLRequest) async throws -> Answer {
        let (body, response) = try await Task { [session] in try await session.data(for: request) }.value
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        let headers = response.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") }
        return Answer(
            status: response.statusCode, headers: Dictionary(headers) { $1 }, body: body)
    }

    func request(_ method: String, _ path: String, _ headers: [String: String] = [:]) -> URLRequest {
        guard let url = URL(string: address + path) else { fatalError("\(path) is not a path.") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    /// Returns the parts of an answer that does not end.
    func parts(of request: URLRequest) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForRequest = 600
            let session = URLSession(
                configuration: configuration, delegate: Receiver(continuation), delegateQueue: nil)
            let task = session.dataTask(with: request)
            continuation.onTermination = { _ in
                task.cancel()
                session.invalidateAndCancel()
            }
            task.resume()
        }
    }
}

private final class Receiver: NSObject, URLSessionDataDelegate, Sendable {
    private let continuation: AsyncThrowingStream<Data, any Error>.Continuation

    init(_ continuation: AsyncThrowingStream<Data, any Error>.Continuation) {
        self.continuation = continuation
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        continuation.yield(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        continuation.finish(throwing: error)
    }
}
