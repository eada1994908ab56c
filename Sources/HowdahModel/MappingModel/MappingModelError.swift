/// Why a mapping model does not lead from one model to another; lists everything that is wrong at once.
public struct MappingModelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Every fault that was found, in the order of the mapping model.
    public let issues: [MappingIssue]
    /// All issues as one text.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ issues: [MappingIssue]) {
        self.issues = issues
        let heading =
            issues.count == 1
            ? "The mapping model has 1 issue:" : "The mapping model has \(issues.count) issues:"
        message = ([heading] + issues.map { "- " + $0.message }).joined(separator: "\n")
    }
}
