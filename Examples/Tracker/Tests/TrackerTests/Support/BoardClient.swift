import Foundation

@testable import Tracker

/// A browser that shows a board: it follows the events, and comes back with the last id when the stream ends.
actor BoardClient {
    private(set) var columns: [String: ColumnDocument] = [:]
    private(set) var connections = 0
    private var lastEventID: String?
    private let servers: [ServerProcess]
    private let token: String?

    init(_ servers: [ServerProcess], token: String?) {
        self.servers = servers
        self.token = token
    }

    /// Follows the board of a project until the task is cancelled.
    func follow(_ project: String, from first: Int) async {
        var place = first
        while !Task.isCancelled {
            let server = servers[place % servers.count]
            if server.isRunning { try? await read(project, Client(server, token: token)) }
            place += 1
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private func read(_ project: String, _ client: Client) async throws {
        let headers = lastEventID.map { ["Last-Event-ID": $0] } ?? [:]
        var (text, isCounted) = (Data(), false)
        for try await part in client.parts(of: client.request("GET", "/projects/\(project)/events", headers))
        {
            text += part
            while let end = text.firstRange(of: Data("\n\n".utf8)) {
                take(String(decoding: text[..<end.lowerBound], as: UTF8.self))
                text.removeSubrange(..<end.upperBound)
                if !isCounted { connections += 1 }
                isCounted = true
            }
        }
    }

    private func take(_ event: String) {
        for line in event.split(separator: "\n") {
            if line.hasPrefix("id: ") { lastEventID = String(line.dropFirst(4)) }
            guard line.hasPrefix("data: "),
                let column = try? JSONDecoder().decode(
                    ColumnDocument.self, from: Data(line.dropFirst(6).utf8))
            else { continue }
            columns[column.status] = column
        }
    }
}
