extension ModelError {
    /// Creates the error for a text that is not a model, with its place.
    init(_ error: DecodingError) {
        let correction = "Correct the JSON, or write the text again with canonicalJSON."
        let (context, what): (DecodingError.Context, String) =
            switch Optional(error) {
            case .keyNotFound(let key, let found)?:
                (found, "The key \(key.stringValue) is missing. \(correction)")
            case .valueNotFound(_, let found)?:
                (found, "The value is null, but a value is required. \(correction)")
            case .typeMismatch(_, let found)?: (found, "The value is of the wrong type. \(correction)")
            case .dataCorrupted(let found)? where found.codingPath.isEmpty:
                (found, "The JSON is not valid. \(correction)")
            // Such errors inside of JSON have texts of the library's own, which say how to correct it.
            case .dataCorrupted(let found)?:
                (found, "\(found.debugDescription) Or write the text again with canonicalJSON.")
            default:
                (
                    DecodingError.Context(codingPath: [], debugDescription: ""),
                    "The JSON is not a model. \(correction)"
                )
            }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        let place = path.isEmpty ? "The text" : String(path.drop { $0 == "." })
        self.init(
            .malformed,
            issues: [
                ModelIssue(
                    .malformed, nil, nil,
                    "\(place): \(what)")
            ])
    }
}
