import AsyncHTTPClient
import Foundation

@testable import Tracker

/// A browser that shows a board: it follows the events, and comes back with the last id when the stream ends.
actor BoardClient {
    private(set) var columns: [String: ColumnDocument] = [:]
    private(set) var events = 0
    private(set) var connections = 0
    private var lastEventID: String?
    private let servers: [ServerProcess]
    private let clients: [Client]

    init(_ servers: [ServerProcess], token: String?) {
        self.servers = servers
        clients = servers.map { server in
            var client = Client(server)
            client.token = token
            return client
        }
    }

    nonisolated func end() { for client in clients { client.end() } }

    /// Follows the board of a project until the task is cancelled.
    func follow(_ project: String, from first: Int) async {
        var place = first
        while !Task.isCancelled {
            if servers[place % servers.count].isRunning {
                try? await read(project, clients[place % servers.count])
            }
            place += 1
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func read(_ project: String, _ client: Client) async throws {
        let headers = lastEventID.map { ["Last-Event-ID": $0] } ?? [:]
        let response = try await client.http.execute(
            client.request(.get, "/projects/\(project)/events", headers: headers), deadline: .distantFuture)
        guard response.status == .ok else { return }
        connections += 1
        var text = ""
        for try await buffer in response.body {
            text += String(buffer: buffer)
            while let end = text.range(of: "\n\n") {
                take(text[..<end.lowerBound])
                text.removeSubrange(..<end.upperBound)
            }
        }
    }

    private func take(_ event: Substring) {
        for line in event.split(separator: "\n") {
            if line.hasPrefix("id: ") { lastEventID = String(line.dropFirst(4)) }
            guard line.hasPrefix("data: "),
                let column = try? JSONDecoder().decode(
                    ColumnDocument.self, from: Data(line.dropFirst(6).utf8))
            else { continue }
            columns[column.status] = column
            events += 1
        }
    }
}
