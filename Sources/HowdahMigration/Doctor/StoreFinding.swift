/// One thing that was looked at around a store: how it is, and what to do about it.
package struct StoreFinding: Hashable, Sendable, Codable {
    /// How much it matters.
    package enum Severity: String, Hashable, Sendable, Codable {
        /// As it should be.
        case ok
        /// Worth knowing.
        case note
        /// Slows down or endangers something.
        case warning
        /// Keeps something from working.
        case problem
    }

    /// What was looked at.
    package let check: String
    package let severity: Severity
    package let message: String
    /// What to do, where there is something to do.
    package let remedy: String?

    package init(_ check: String, _ severity: Severity, _ message: String, remedy: String? = nil) {
        self.check = check
        self.severity = severity
        self.message = message
        self.remedy = remedy
    }
}
