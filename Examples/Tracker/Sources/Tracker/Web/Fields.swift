import Howdah
import Hummingbird

/// The fields of a list that a client wants: `fields=title,assignee.login`.
struct Fields {
    let keyPaths: [String]

    private static let known: Set<String> = [
        "number", "title", "text", "status", "priority", "createdAt", "dueOn", "commentCount", "estimate",
        "assignee.login", "author.login", "labels.name",
    ]

    /// Returns nil if the client does not say: it gets the usual document.
    init?(_ request: Request) throws {
        guard let text = try request.queryText("fields") else { return nil }
        keyPaths = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard Set(keyPaths).isSubset(of: Self.known) else {
            throw ProblemDetails(
                400, "unknownField",
                "A field is not known. Use \(Self.known.sorted().joined(separator: ", ")).")
        }
    }
}
