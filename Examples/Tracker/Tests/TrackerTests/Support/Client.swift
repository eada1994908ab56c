import AsyncHTTPClient
import Foundation
import Hummingbird

/// An HTTP client of one server, logged in as one user.
struct Client: Sendable {
    struct Answer: Sendable {
        let status: Int
        let headers: [String: String]
        let body: Data

        var json: [String: Any] {
            get throws { try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:] }
        }

        func decoded<Document: Decodable>(_ type: Document.Type = Document.self) throws -> Document {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            return try decoder.decode(type, from: body)
        }
    }

    let http: HTTPClient
    let address: String
    var token: String?

    init(_ server: ServerProcess) {
        var configuration = HTTPClient.Configuration(
            timeout: .init(connect: .seconds(10), read: .seconds(60)))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        address = "http://127.0.0.1:\(server.port)"
    }

    func end() { try? http.shutdown().wait() }

    mutating func logIn(_ login: String, _ password: String) async throws {
        let answer = try await post("/login", ["login": login, "password": password])
        token = try answer.json["token"] as? String
    }

    func request(
        _ method: HTTPRequest.Method, _ path: String, headers: [String: String] = [:]
    ) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: path.hasPrefix("http") ? path : address + path)
        request.method = .init(rawValue: method.rawValue)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        return request
    }

    func send(_ request: HTTPClientRequest) async throws -> Answer {
        let response = try await http.execute(request, timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 1 << 28)
        let headers = response.headers.map { ($0.name.lowercased(), $0.value) }
        return Answer(
            status: Int(response.status.code), headers: Dictionary(headers) { $1 },
            body: Data(body.readableBytesView))
    }

    func get(_ path: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send(request(.get, path, headers: headers))
    }

    func post(
        _ path: String, _ json: [String: any Sendable], headers: [String: String] = [:]
    ) async throws -> Answer {
        try await send(.post, path, json, headers)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ json: [String: any Sendable] = [:],
        _ headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = request(method, path, headers: headers)
        if method != .get && method != .delete {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(try JSONSerialization.data(withJSONObject: json))
        }
        return try await send(request)
    }
}
