extension ProblemDetails {
    /// Creates a problem with status 400 for the body of a request that is not the JSON that a type has.
    ///
    /// It names the place in the body, and what belongs there, without the names of Swift's types.
    ///
    /// ```swift
    /// do {
    ///     return try JSONDecoder().decode(NewIssue.self, from: body)
    /// } catch let error as DecodingError {
    ///     throw ProblemDetails(invalidBody: error)
    /// }
    /// ```
    /// `ProblemDetails(error)` makes status 500 of such an error, because the data may be your own.
    public init(invalidBody error: DecodingError) {
        let (path, fault) = Self.fault(error)
        let steps = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
        let pointer = steps.isEmpty ? nil : Self.pointer(steps)
        let detail = fault(pointer.map { "The value at \($0)" } ?? "The body")
        self.init(
            400, "invalidBody", detail, [Part(pointer: pointer, code: "invalidBody", detail: detail)])
    }

    /// Returns the path to a fault, and its text with a name of the place.
    private static func fault(_ error: DecodingError) -> (path: [any CodingKey], text: (String) -> String) {
        switch error {
        case .keyNotFound(let key, let context):
            (context.codingPath + [key], { "\($0) is missing. Send one." })
        case .valueNotFound(let type, let context):
            (context.codingPath, { "\($0) is null. Send \(article(type))." })
        case .typeMismatch(let type, let context):
            (context.codingPath, { "\($0) has the wrong type. Send \(article(type))." })
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            (context.codingPath, { "\($0) is not valid. Correct it." })
        default:
            // Foundation has no path for a number that is too large, nor for a date.
            ([], { "\($0) is not JSON, or has a number or date that is not valid. Correct it." })
        }
    }

    /// Returns what JSON calls a type.
    private static func article(_ type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type: "an integer"
        case is any BinaryFloatingPoint.Type: "a number"
        case is any KeyedValues.Type: "an object"
        case is any ListedValues.Type: "an array"
        default: "a value of another type"
        }
    }
}

private protocol KeyedValues {}
private protocol ListedValues {}
extension Dictionary: KeyedValues {}
extension Array: ListedValues {}
