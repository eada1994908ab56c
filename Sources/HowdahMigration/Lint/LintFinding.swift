/// Something in a plan that others of the store will notice, and how the same is done without.
package struct LintFinding: Hashable, Sendable, Codable {
    /// A kind of finding, by a name that does not change.
    package enum Rule: String, Hashable, Sendable, Codable, CaseIterable {
        case rewrite, validation, scan, drop, rename, indexInTransaction, dataInTransaction, handler
        case concurrentIndex, batches, confirmation, versionBefore
    }

    /// How much it matters.
    package enum Severity: String, Hashable, Sendable, Codable {
        /// It takes long and holds up nobody, since it runs after the transaction.
        case safe
        /// Good to know; or the table is known to have few rows.
        case note
        case warning
    }

    package let rule: Rule
    package let severity: Severity
    /// The stage's label; empty where there is one inference.
    package let stage: String
    /// The step's number from 1; nil where the stage is meant.
    package let step: Int?
    /// The entity or property that the finding is about, such as `Guest.name`; nil for a step.
    package var name: String?
    package let message: String
    /// What avoids it; of what is safe, when it runs.
    package let idiom: String
}
