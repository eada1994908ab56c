import Foundation
import Howdah

/// The answer to a stale `If-Match`: a problem (RFC 9457) with the issue as it is now, and the properties of the request
/// that another session may have changed.
struct ConflictDocument: Encodable {
    let type = "about:blank"
    let title = "Precondition Failed"
    let status = 412
    let code = "conflict"
    let detail = "Another session changed the issue. Compare 'current' with your values, and send its ETag."
    let properties: [String]
    let current: IssueDocument

    init(_ error: SaveError, _ current: IssueDocument) {
        properties = error.conflicts.flatMap(\.properties).sorted()
        self.current = current
    }
}
