public import Foundation
public import PQClient

/// An error of a save, with the objects and properties concerned and the server's error.
///
/// A failed save changes neither the store nor the context. Correct the cause and save again.
public struct SaveError: Error, Sendable {
    /// The kind of failure, for code that reacts to it.
    public let code: Code
    /// The failure and the remedy, for people; never contains stored values.
    public internal(set) var message: String
    /// The objects that another context changed or deleted since they were read.
    public let conflicts: [SaveConflict]
    /// All rules of the model that the objects break.
    public internal(set) var issues: [ValidationIssue]
    /// The error of the server or the connection, if there was one.
    public let databaseError: PostgresError?
    /// The token to pass to ``PersistentContainer/wasStored(_:)`` after ``Code/outcomeUnknown``.
    ///
    /// It is nil in stores without ``StoreOptions/resolvesLostCommits``.
    public let token: UUID?

    init(
        _ code: Code, _ message: String, conflicts: [SaveConflict] = [], issues: [ValidationIssue] = [],
        databaseError: PostgresError? = nil, token: UUID? = nil
    ) {
        self.code = code
        self.message = message
        self.conflicts = conflicts
        self.issues = issues
        self.databaseError = databaseError
        self.token = token
    }

    /// Returns an error with several broken rules, which validation hooks can throw.
    public static func validation(_ issues: [ValidationIssue]) -> SaveError {
        let rules =
            issues.count == 1
            ? "1 validation rule failed. Correct the value."
            : "\(issues.count) validation rules failed. Correct the values that the issues name."
        return SaveError(.validation, rules, issues: issues)
    }

    /// The error that a hook threw, if it is the only issue; otherwise this one.
    var thrownAlone: any Error {
        guard code == .validation, issues.count == 1, let error = issues[0].underlyingError else {
            return self
        }
        return error
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// Another session changed or deleted the rows since they were read; see ``SaveError/conflicts``.
        public static let conflict = Code(description: "conflict")
        /// An object breaks a rule of the model; see ``SaveError/issues``.
        public static let validation = Code(description: "validation")
        /// Another object has the same value of a unique property; see ``SaveError/issues``.
        public static let uniqueness = Code(description: "uniqueness")
        /// A delete rule denies a deletion, or a relationship refers to a deleted row.
        public static let referentialIntegrity = Code(description: "referentialIntegrity")
        /// The connection was lost after COMMIT was sent: the save may be stored.
        ///
        /// With ``StoreOptions/resolvesLostCommits`` it occurs only if the server cannot be reached again in
        /// time.
        public static let outcomeUnknown = Code(description: "outcomeUnknown")
        /// The connection was lost after COMMIT was sent, and nothing was stored.
        ///
        /// Before it throws this, a save outside of a transaction retries a few times.
        /// `perform(isolation:retrying:)` runs the body again.
        public static let notCommitted = Code(description: "notCommitted")
        /// The save would write an object of a read-only entity; see ``StoreOptions/existingTables``.
        public static let readOnly = Code(description: "readOnly")
        /// Another program altered a table, so it does not accept the model's values.
        public static let schemaMismatch = Code(description: "schemaMismatch")
        /// Another transaction has locked the rows for longer than the setting `lock_timeout` permits.
        public static let locked = Code(description: "locked")
        /// The save and another transaction waited for each other, and the server ended this one. Nothing was
        /// stored.
        ///
        /// Before it throws this, a save outside of a transaction retries a few times.
        /// `perform(isolation:retrying:)` runs the body again.
        public static let deadlock = Code(description: "deadlock")
        /// Another transaction changed rows that this one had read, in `REPEATABLE READ` or `SERIALIZABLE`.
        ///
        /// Nothing was stored. `perform(isolation:retrying:)` runs the body again.
        public static let serializationFailure = Code(description: "serializationFailure")
        /// The timeout of `perform(timeout:)` or ``StoreOptions/statementTimeout`` expired. Nothing was
        /// stored.
        public static let deadlineExceeded = Code(description: "deadlineExceeded")
        /// The server refused a statement or the connection failed. Nothing was stored. See
        /// ``SaveError/databaseError``.
        public static let database = Code(description: "database")
    }
}

extension SaveError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code and message; safe to show.
    public var description: String {
        let details = conflicts.map(\.description) + issues.map(\.description)
        let list = details.prefix(5).map { "\n  \($0)" }.joined()
        let more = details.count > 5 ? "\n  and \(details.count - 5) more" : ""
        // Details say it in the model's words; without them only the server or the connection tells the cause.
        let text = details.isEmpty ? message.caused(by: databaseError) : message
        return "save failed (\(code)): \(text)\(list)\(more)"
    }

    /// All properties, with the server's own fields.
    public var debugDescription: String { "\(description) \(databaseError?.debugDescription ?? "")" }
}

extension SaveError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
