public import PQClient

/// Why a store was not migrated, and what to do about it; the store is as it was, or, of several stages, has the
/// version before the one that failed.
public struct MigrationError: Error, Sendable {
    /// What went wrong, for code that reacts to it.
    public let code: Code
    /// What went wrong and the remedy, for people.
    public let message: String
    /// What the server said, where it did.
    public let underlying: PostgresError?
    /// What a handler of a stage threw, where that is the reason.
    public let cause: (any Error)?
    /// What cannot be inferred, where that is the reason.
    package let refusals: [MigrationRefusal]

    package init(
        _ code: Code, _ message: String, refusals: [MigrationRefusal] = [], underlying: PostgresError? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.refusals = refusals
        self.underlying = underlying
        self.cause = cause
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The steps cannot be inferred from the two models, or something would go that nobody confirmed.
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
        /// Stages contradict each other; see the message.
        public static let invalidStages = Code(description: "invalidStages")
        /// The store, or the model that it is opened with, is of a version that no stage lists.
        public static let unlistedVersion = Code(description: "unlistedVersion")
        /// The store has a later version than the model that it is opened with.
        public static let newerStore = Code(description: "newerStore")
        /// A stage needs a model of which only the checksum was given.
        public static let missingModel = Code(description: "missingModel")
        /// A model does not have the checksum that a stage names.
        public static let checksumMismatch = Code(description: "checksumMismatch")
        /// A handler of a stage threw; see ``MigrationError/cause``.
        public static let handlerFailed = Code(description: "handlerFailed")
        /// A mapping model does not lead from one version to the next, or names what the program does not have.
        public static let invalidMapping = Code(description: "invalidMapping")
        /// A mapping met what it cannot map, or a migration policy threw; see ``MigrationError/cause``.
        public static let mappingFailed = Code(description: "mappingFailed")
        /// The store has the new model, and its rows, or what others made on its tables, do not let some of the work be done that
        /// a deferred migration left; the rest was done, and that work is still pending.
        public static let unfinished = Code(description: "unfinished")
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

extension MigrationError {
    /// Runs `body`, with what the database says as an error of the migration's.
    static func wrapping<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as PostgresError {
            throw MigrationError(.database, "The database refused", underlying: error)
        }
    }
}
