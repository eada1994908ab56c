import Hummingbird
import ServiceLifecycle

/// Server-sent events of a board.
///
/// The id of an event says which columns the client has: one digest for each column. A client that comes back with it, to
/// any server, is sent the columns that differ, and nothing else.
struct EventStream {
    private var seen: [String]

    init(lastEventID: String?) { seen = lastEventID?.split(separator: ".").map(String.init) ?? [] }

    /// Returns the text that brings the client to the board: an event for each other column.
    mutating func text(of board: Board) -> String {
        if seen.count != board.columns.count { seen = board.columns.map { _ in "0" } }
        var text = ""
        for (place, column) in board.columns.enumerated() where seen[place] != column.digest {
            seen[place] = column.digest
            text += "id: \(seen.joined(separator: "."))\nevent: column\ndata: \(column.json)\n\n"
        }
        return text.isEmpty ? ":\n\n" : text  // a comment shows that the connection lives
    }

    /// Returns an answer that does not end before the boards do.
    ///
    /// - Parameter patience: The time for the client to read the events that it was sent before. A client that takes longer
    ///   is disconnected, or that still does so when the server ends. Nothing is kept for it, because it comes back with
    ///   the id of the last event that it has.
    /// - Parameter isAllowed: Indicates whether the client may still see the board. If not, the stream ends.
    static func response(
        _ boards: AsyncStream<Board>, lastEventID: String?, patience: Duration,
        disconnect: @escaping @Sendable () -> Void,
        isAllowed: @escaping @Sendable () async -> Bool
    ) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: .init { writer in
                var stream = EventStream(lastEventID: lastEventID)
                for await board in boards {
                    guard await isAllowed() else { break }
                    let cut = Task {
                        try await Task.sleep(for: patience)
                        disconnect()
                    }
                    defer { cut.cancel() }
                    try await withGracefulShutdownHandler {
                        try await writer.write(ByteBuffer(string: stream.text(of: board)))
                    } onGracefulShutdown: {
                        disconnect()
                    }
                }
                try await writer.finish(nil)
            })
    }
}
