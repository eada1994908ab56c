import HowdahModel
import PQClient

extension FetchError {
    /// The error for a pattern that is beyond what the server takes; nil where the server complains of something else.
    ///
    /// - Parameter patterns: the comparisons with MATCHES that the server ran.
    init?(refusing patterns: [String], _ error: any Error) {
        guard !patterns.isEmpty, let error = error as? PostgresError,
            error.sqlState == SQLState.invalidRegularExpression
        else { return nil }
        self.init(
            .invalidRequest,
            "The server refused the pattern of \(patterns.joined(separator: " or ")): it is too large, or repeats too "
                + "much. "
                + "Write a shorter pattern, or several joined by OR.", underlying: error)
    }
}

extension FetchRequest {
    /// The comparisons with MATCHES that the request has the server run.
    var patterns: [String] { (predicate?.patterns ?? []) + (havingPredicate?.patterns ?? []) }
}
