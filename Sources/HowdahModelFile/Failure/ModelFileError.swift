public import HowdahModel

/// Why a model file could not be read.
public struct ModelFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ name: String) { description = name }

        /// There is no such file, or it cannot be opened.
        public static let unreadable = Code("unreadable")
        /// The file is not well-formed, or no model.
        public static let malformed = Code("malformed")
        /// The file is larger than any model.
        public static let tooLarge = Code("tooLarge")
        /// The file has parts that models have no use for and that may do harm.
        public static let refused = Code("refused")
        /// The file is of a format that is not read, such as the binary one of Xcode 3.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// A bundle has no version of that name, or does not say which one is the current.
        public static let unknownVersion = Code("unknownVersion")
        /// The file was read, and the model in it contradicts itself; see ``ModelFileError/issues``.
        public static let invalidModel = Code("invalidModel")
    }

    /// The kind of failure.
    public let code: Code
    /// The file, where it is known.
    public var path: String?
    /// The line in it, from 1.
    public let line: Int?
    /// What is wrong and what to do.
    public let message: String
    /// Every place of the file that is malformed, in its order; empty where the failure is not one of single places.
    public let defects: [ModelFileDefect]
    /// Everything that is wrong with the model, as far as it could be read.
    public let issues: [ModelIssue]
    /// What was noticed beside that.
    public let warnings: [ModelFileWarning]

    /// The place and the message.
    public var description: String {
        let place = [path, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return place.isEmpty ? message : "\(place): \(message)"
    }

    init(
        _ code: Code, _ message: String, line: Int? = nil, path: String? = nil,
        defects: [ModelFileDefect] = [],
        issues: [ModelIssue] = [], warnings: [ModelFileWarning] = []
    ) {
        self.code = code
        self.message = message
        self.line = line
        self.path = path
        self.defects = defects
        self.issues = issues
        self.warnings = warnings
    }

    /// What is wrong in a file that could be read to its end: one fault is the message, several are listed.
    init(defects: [ModelFileDefect], issues: [ModelIssue], warnings: [ModelFileWarning]) {
        let count = defects.count + issues.count
        let shown = defects.prefix(Self.shownFaults).map(\.description) + issues.map(\.description)
        let more = defects.count - Self.shownFaults
        let list = more > 0 ? shown + ["and \(more) more"] : shown
        self.init(
            .malformed,
            count == 1
                ? defects.first?.message ?? list.joined()
                : (["The file has \(count) faults:"] + list.map { "- " + $0 }).joined(separator: "\n"),
            line: defects.first?.line, defects: defects, issues: issues, warnings: warnings)
    }

    /// The number of defects that a message lists; all are in ``defects``.
    private static let shownFaults = 200

    /// The largest file, in bytes, below the 10,000,000 that the XML parser takes.
    static let largestFile = 9 << 20

    static var tooLarge: Self {
        Self(
            .tooLarge,
            "The file has more than the \(largestFile) bytes that a model may have. Divide the model, or remove "
                + "other content from the file.")
    }

    func at(_ path: String) -> Self {
        var result = self
        result.path = result.path ?? path
        return result
    }
}
