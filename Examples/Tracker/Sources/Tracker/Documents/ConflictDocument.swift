import Foundation
import Howdah
import Hummingbird

/// The answer to a stale `If-Match`: a problem (RFC 9457) with the issue as it is now, and the properties whose values
/// differ from those of the request.
struct ConflictDocument: Encodable {
    let type = "about:blank"
    let title = "Precondition Failed"
    let status = 412
    let code = "conflict"
    let detail = "Another session changed the issue. Compare 'current' with your values, and send its ETag."
    let properties: [String]
    let current: IssueDocument

    init(_ patch: IssuePatch, _ current: IssueDocument) {
        properties = patch.differences(from: current)
        self.current = current
    }

    func response(version: ObjectVersion?) throws -> Response {
        var response = try Response.json(self, status: .preconditionFailed, version: version)
        response.headers[.contentType] = ProblemDetails.mediaType
        return response
    }
}
