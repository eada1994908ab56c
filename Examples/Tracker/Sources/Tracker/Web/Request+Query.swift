import Foundation
import Howdah
import Hummingbird

extension Request {
    /// Returns a text of the query, of which a plus is a space: forms and curl write it so.
    ///
    /// - Throws: ``ProblemDetails`` with `invalidQuery` if the text is not UTF-8, percent-encoded.
    func queryText(_ name: String) throws -> String? {
        for parameter in (uri.query ?? "").split(separator: "&") {
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts[0] == name else { continue }
            let text = parts.count == 2 ? parts[1].replacing("+", with: " ") : ""
            guard let decoded = text.removingPercentEncoding else {
                throw ProblemDetails(
                    400, "invalidQuery", "The query '\(name)' is not encoded. Percent-encode it.")
            }
            return decoded
        }
        return nil
    }
}
