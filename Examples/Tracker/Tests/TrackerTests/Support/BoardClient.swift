import Foundation

@testable import Tracker

/// A browser that shows a board: it follows the events, and comes back with the last id when the stream ends.
actor BoardClient {
    private(set) var columns: [String: ColumnDocument] = [:]
    private(set) var connections = 0
    private var lastEventID: String?
    private var rest = Data()
    private let servers: [ServerProcess]
    private let token: String?

    init(_ servers: [ServerProcess], token: String?) {
        self.servers = servers
        self.token = token
    }

    /// Indicates whether the board has an issue with the title.
    func has(_ title: String) -> Bool {
        columns.values.contains { $0.issues.contains { $0.title == title } }
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
        var isCounted = false
        rest = Data()
        for try await part in client.parts(of: client.request("GET", "/projects/\(project)/events", headers))
        {
            if receive(part), !isCounted {
                connections += 1
                isCounted = true
            }
        }
    }

    /// Takes the events that are complete.
    ///
    /// - Returns: False if there is none.
    @discardableResult func receive(_ part: Data) -> Bool {
        rest += part
        var found = false
        while let end = rest.range(of: Data("\n\n".utf8)) {
            take(String(decoding: rest[..<end.lowerBound], as: UTF8.self))
            rest.removeSubrange(..<end.upperBound)
            found = true
        }
        return found
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
