package import HowdahSchema

/// What a migration did before it was undone.
package struct RehearsalReport: Sendable, Codable {
    /// A step with what it took.
    package struct Step: Sendable, Codable {
        package let number: Int
        package let reason: String
        package let seconds: Double
        /// The rows that its statements wrote or brought.
        package let rows: Int
        package let lock: LockLevel
        /// When the migration does it; with deferral, what is not immediate is rehearsed in the one transaction all the same.
        package let execution: MigrationStep.Execution
    }

    /// A handler of the program's, or a script, with what it took.
    package struct Handler: Sendable, Codable {
        package let name: String
        package let seconds: Double
        /// How many of the listed steps came before.
        package let afterSteps: Int
    }

    /// A table, by its name before the rehearsal, and how it was locked when the stage's transaction would have ended.
    package struct Lock: Sendable, Hashable, Codable {
        package let table: String
        /// As the server calls it.
        package let mode: String
    }

    /// A stage, as far as it came.
    package struct Stage: Sendable, Codable {
        package let label: String
        package var seconds = 0.0
        package var steps: [Step] = []
        package var handlers: [Handler] = []
        package var locks: [Lock] = []
        /// The tables whose rows were all written anew.
        package var rewrites: [String] = []
        /// What rows do not keep, and what the server refused for that.
        package var violations: [String] = []

        init(label: String) { self.label = label }
    }

    package internal(set) var stages: [Stage] = []
    /// Of how many.
    package internal(set) var stageCount = 0
    package internal(set) var seconds = 0.0
    /// Why it ended before the last stage did; nil where all was gone through.
    package internal(set) var ending: String?
    /// The server's code for the reason, if it is an error of the server.
    package internal(set) var sqlstate: String?
    /// The server's words about the reason by their names, as those of a failed command.
    package internal(set) var fields: [String: String]?

    /// Whether something of the program's went on beyond the budget: it may still use the connection, which is not to be
    /// touched any more.
    package internal(set) var isAbandoned = false

    /// Whether the migration would have gone through.
    package var isClean: Bool { ending == nil && stages.allSatisfy(\.violations.isEmpty) }
}
