/// An error of a model, or of its mapping to tables, which lists all faults at once.
public struct ModelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The step that refused the model.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) { description = name }

        /// The model contradicts itself.
        public static let invalidModel = Code("invalidModel")
        /// The model is valid but cannot be stored in tables with the given names.
        public static let invalidMapping = Code("invalidMapping")
        /// The text is not JSON, or not that of a model.
        public static let malformed = Code("malformed")
        /// The model was written in a format that this version of the library does not read.
        public static let unsupportedFormat = Code("unsupportedFormat")
    }

    /// The step that refused the model.
    public let code: Code
    /// All faults that were found, in the order of the model.
    public let issues: [ModelIssue]
    /// All issues as one text.
    public let message: String

    /// The message.
    public var description: String { message }

    package init(_ code: Code, issues: [ModelIssue]) {
        self.code = code
        self.issues = issues
        let heading = issues.count == 1 ? "The model has 1 issue:" : "The model has \(issues.count) issues:"
        message = ([heading] + issues.map { "- " + $0.message }).joined(separator: "\n")
    }
}
