/// What cannot be done, and how it could be.
struct GenerateToolError: Error, CustomStringConvertible {
    let description: String

    init(_ message: String) { description = message }
}
