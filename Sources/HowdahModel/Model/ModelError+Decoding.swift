extension ModelError {
    /// The error of a text that is no model, with the place in it.
    init(_ error: DecodingError) {
        let (context, what): (DecodingError.Context, String) =
            switch Optional(error) {
            case .keyNotFound(let key, let found)?: (found, "\(key.stringValue) is missing")
            case .valueNotFound(_, let found)?: (found, "null stands where a value has to be")
            case .typeMismatch(_, let found)?: (found, "this is not what a model has here")
            // Such errors inside of JSON have texts of the library's own.
            case .dataCorrupted(let found)?:
                (found, found.codingPath.isEmpty ? "this is no JSON" : found.debugDescription)
            default: (DecodingError.Context(codingPath: [], debugDescription: ""), "this is no model")
            }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        let place = path.isEmpty ? "The text" : String(path.drop { $0 == "." })
        self.init(
            .malformed,
            issues: [
                ModelIssue(
                    .malformed, nil, nil,
                    "\(place): \(what); correct it, or write the text anew with canonicalJSON.")
            ])
    }
}
