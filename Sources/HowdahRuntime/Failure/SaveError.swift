public import Foundation
public import PQClient

/// Why a save did nothing: which objects and properties stood in the way, and what the server said.
///
/// A failed save changes neither the store nor the context; mend the cause and save again.
public struct SaveError: Error, Sendable {
    /// What went wrong, for code that reacts to it.
    public let code: Code
    /// What went wrong and the remedy, for people; never contains stored values.
    public internal(set) var message: String
    /// The objects that another context changed or deleted meanwhile.
    public let conflicts: [SaveConflict]
    /// Every rule of the model that was broken, all at once.
    public internal(set) var issues: [ValidationIssue]
    /// What the server or the connection said, where it did.
    public let underlying: PostgresError?
    /// With ``Code/outcomeUnknown``: what to ask ``PersistentContainer/wasStored(_:)`` with; nil in stores without
    /// ``StoreOptions/resolvesLostCommits``.
    public let token: UUID?

    init(
        _ code: Code, _ message: String, conflicts: [SaveConflict] = [], issues: [ValidationIssue] = [],
        underlying: PostgresError? = nil, token: UUID? = nil
    ) {
        self.code = code
        self.message = message
        self.conflicts = conflicts
        self.issues = issues
        self.underlying = underlying
        self.token = token
    }

    /// Several broken rules at once, for validation hooks to throw.
    public static func validation(_ issues: [ValidationIssue]) -> SaveError {
        let rules = issues.count == 1 ? "1 rule is broken." : "\(issues.count) rules are broken."
        return SaveError(.validation, rules, issues: issues)
    }

    /// The error that a hook threw, if that is all that is wrong; otherwise this one.
    var thrownAlone: any Error {
        guard code == .validation, issues.count == 1, let error = issues[0].underlying else { return self }
        return error
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// Somebody else changed or deleted the rows since they were read; see ``SaveError/conflicts``.
        public static let conflict = Code(description: "conflict")
        /// A rule of the model was broken; see ``SaveError/issues``.
        public static let validation = Code(description: "validation")
        /// Another object has the same value of a unique property; see ``SaveError/issues``.
        public static let uniqueness = Code(description: "uniqueness")
        /// A delete rule denies a deletion, or a relationship leads to a row that is gone.
        public static let referentialIntegrity = Code(description: "referentialIntegrity")
        /// The connection broke after COMMIT was sent: the save may have been stored. With
        /// ``StoreOptions/resolvesLostCommits`` only where the server cannot be reached again in time.
        public static let outcomeUnknown = Code(description: "outcomeUnknown")
        /// The connection broke after COMMIT was sent, and it turned out that nothing was stored. A save of its own is
        /// repeated a few times before; `perform(isolation:retrying:)` runs the body again.
        public static let notCommitted = Code(description: "notCommitted")
        /// An object of an entity that can only be read was to be written; see ``StoreOptions/existingTables``.
        public static let readOnly = Code(description: "readOnly")
        /// A table was altered behind the store's back, so that it does not take the model's values.
        public static let schemaMismatch = Code(description: "schemaMismatch")
        /// Another transaction has locked the rows for longer than the setting `lock_timeout` lets the save wait.
        public static let locked = Code(description: "locked")
        /// The save and another transaction waited for each other, and the server ended this one; nothing was stored. A save
        /// of its own is repeated a few times before; `perform(isolation:retrying:)` runs the body again.
        public static let deadlock = Code(description: "deadlock")
        /// Another transaction changed what this one had read, in `REPEATABLE READ` or `SERIALIZABLE`; nothing was stored.
        /// `perform(isolation:retrying:)` runs the body again.
        public static let serializationFailure = Code(description: "serializationFailure")
        /// The time that `perform(timeout:)` or ``StoreOptions/statementTimeout`` gives was over; nothing was stored.
        public static let deadlineExceeded = Code(description: "deadlineExceeded")
        /// The server refused or the connection failed; nothing was stored. See ``SaveError/underlying``.
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
        let text = details.isEmpty ? message.caused(by: underlying) : message
        return "save failed (\(code)): \(text)\(list)\(more)"
    }

    /// Everything, with the server's own fields.
    public var debugDescription: String { "\(description) \(underlying?.debugDescription ?? "")" }
}
