import HowdahModel
import PQClient

extension FetchError {
    /// Creates the error for a pattern that the server cannot evaluate; nil if the server's error has another
    /// cause.
    ///
    /// - Parameter patterns: The MATCHES comparisons that the server evaluated.
    init?(refusing patterns: [String], _ error: any Error) {
        guard !patterns.isEmpty, let error = error as? PostgresError,
            error.sqlState == SQLState.invalidRegularExpression
        else { return nil }
        self.init(
            .invalidRequest,
            "The server refused the pattern of \(patterns.joined(separator: " or ")): it is too large, or repeats too "
                + "much. "
                + "Write a shorter pattern, or several joined by OR.", databaseError: error)
    }
}

extension FetchRequest {
    /// The MATCHES comparisons that the server evaluates for the request.
    var patterns: [String] { (predicate?.patterns ?? []) + (havingPredicate?.patterns ?? []) }
}
