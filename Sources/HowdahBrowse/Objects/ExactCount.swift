import HowdahModel
import HowdahRuntime

/// The exact number of the objects of a table, read on request, and only up to a limit.
struct ExactCount: Sendable {
    /// The largest number that is counted.
    static let limit = 100_000

    let text: String
    let sent: [SentStatement]

    /// Counts the objects of a request with one statement, which reads at most one row more than the limit.
    ///
    /// - Throws: The errors of a fetch, except that the statement took too long.
    init(of query: BrowseQuery, _ reader: BrowseReader) async throws {
        do {
            let reading = try await reader.read { try $0.context.count(query, upTo: Self.limit + 1) }
            let count = reading.value
            text =
                count > Self.limit
                ? "more than \(Figures.count(Self.limit)) objects"
                : "\(Figures.count(count)) \(count == 1 ? "object" : "objects")"
            sent = reading.sent
        } catch  where ErrorWords.isStopped(error) {
            (text, sent) = ("unknown, because counting took longer than 2 s", [])
        }
    }
}
