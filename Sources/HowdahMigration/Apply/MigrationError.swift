public import PQClient

/// Why a store was not migrated, and what to do about it; the store is as it was.
public struct MigrationError: Error, Sendable {
    /// What went wrong, for code that reacts to it.
    public let code: Code
    /// What went wrong and the remedy, for people.
    public let message: String
    /// What the server said, where it did.
    public let underlying: PostgresError?
    /// What cannot be inferred, where that is the reason.
    package let refusals: [MigrationRefusal]

    package init(
        _ code: Code, _ message: String, refusals: [MigrationRefusal] = [], underlying: PostgresError? = nil
    ) {
        self.code = code
        self.message = message
        self.refusals = refusals
        self.underlying = underlying
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The steps cannot be inferred from the two models.
        public static let notInferable = Code(description: "notInferable")
        /// Rows of the store cannot be rows of the new model.
        public static let unfitData = Code(description: "unfitData")
        /// Another program is migrating the store.
        public static let busy = Code(description: "busy")
        /// The tables could not be locked within the time given.
        public static let lockTimeout = Code(description: "lockTimeout")
        /// There is no store, or none that this library can migrate.
        public static let notAStore = Code(description: "notAStore")
        /// A model cannot be laid out as tables.
        public static let invalidModel = Code(description: "invalidModel")
        /// The server refused a step or the connection failed; see ``MigrationError/underlying``.
        public static let database = Code(description: "database")
    }
}

extension MigrationError: CustomStringConvertible {
    /// The message; safe to show but for the server's own.
    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}

extension MigrationError {
    /// Names everything that stands in the way of inference.
    package init(refusals: [MigrationRefusal]) {
        let lines = refusals.map { "- " + $0.message }
        self.init(
            .notInferable,
            (["The migration cannot be inferred:"] + lines).joined(separator: "\n"), refusals: refusals)
    }
}
