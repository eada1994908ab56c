public import Foundation
public import PQClient

/// An error of a store or a container, with the remedy.
public struct StoreError: Error, Sendable {
    /// The kind of failure, for code that reacts to it.
    public let code: Code
    /// The failure and the remedy, for people.
    public let message: String
    /// The error of the server or the connection, if there was one.
    public let databaseError: PostgresError?

    /// The error that a handler of a migration's stage threw, if that is the reason.
    public let underlyingError: (any Error)?

    package init(
        _ code: Code, _ message: String, databaseError: PostgresError? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.databaseError = databaseError
        self.underlyingError = underlyingError
    }

    /// A kind of failure; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The store has another model.
        public static let incompatibleModel = Code(description: "incompatibleModel")
        /// The store could not be migrated to the model, and is unchanged; the message says what prevented
        /// it.
        public static let migrationFailed = Code(description: "migrationFailed")
        /// The model cannot be stored in tables, or uses a feature that contexts do not support.
        public static let invalidModel = Code(description: "invalidModel")
        /// An option has a value that no store can use.
        public static let invalidOptions = Code(description: "invalidOptions")
        /// A class does not have the properties of its entity.
        public static let classMismatch = Code(description: "classMismatch")
        /// The schema has tables of another program, or the store's own record is damaged.
        public static let notAStore = Code(description: "notAStore")
        /// The tables differ from the model; the message lists every difference.
        public static let schemaMismatch = Code(description: "schemaMismatch")
        /// The database is unsuitable: its encoding or version.
        public static let unsuitableDatabase = Code(description: "unsuitableDatabase")
        /// The history of the store was written in another database or cluster, or its state is missing.
        ///
        /// The message names the commands that adopt it or begin a new one.
        public static let historyOfAnotherCluster = Code(description: "historyOfAnotherCluster")
        /// The server refused a statement or the connection failed; see ``StoreError/databaseError``.
        public static let database = Code(description: "database")
        /// No thread or connection became free in time, or too many units of work wait.
        public static let overloaded = Code(description: "overloaded")
        /// The timeout of `perform(timeout:)` expired before the unit of work could begin. Its body did not
        /// run.
        public static let deadlineExceeded = Code(description: "deadlineExceeded")
        /// The store of an open container was destroyed, or replaced by another one. Open a container again.
        public static let destroyed = Code(description: "destroyed")
        /// Other programs use the store, so it could not be opened, destroyed or replaced in time.
        public static let inUse = Code(description: "inUse")
        /// The role has no permission for the operation; the message names the role that has it.
        public static let missingGrant = Code(description: "missingGrant")
        /// Objects of other programs depend on the store's tables; the message lists them.
        public static let hasDependents = Code(description: "hasDependents")
        /// A key or value of metadata cannot be stored.
        public static let invalidMetadata = Code(description: "invalidMetadata")
        /// The container was closed.
        public static let closed = Code(description: "closed")
        /// A stream ended because its source or its client was idle for longer than
        /// ``StoreOptions/streamIdleTimeout``.
        public static let streamIdle = Code(description: "streamIdle")
        /// The temporary file of a stream could not be created, written or read.
        public static let temporaryFile = Code(description: "temporaryFile")
    }
}

extension StoreError: CustomStringConvertible, CustomDebugStringConvertible {
    /// The code and message; safe to show.
    public var description: String {
        "the store cannot be used (\(code)): \(message.caused(by: databaseError))"
    }

    /// All properties, with the server's own fields.
    public var debugDescription: String { "\(description) \(databaseError?.debugDescription ?? "")" }
}

extension StoreError: LocalizedError {
    /// The same text as ``description``.
    public var errorDescription: String? { description }
}
